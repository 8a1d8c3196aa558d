"""The one HTTP client of all embedders that are services: time-outs, retries, limits, metrics.

A call fails with an `EmbedderError` and nothing else. Its `kind` is the metric's label:

    timeout connect rate_limited server_error     tried again within the call, and retryable later
    client_error unauthorized redirect            final: somebody has to change something
    malformed wrong_dimension                     the answer is not what it should be

The key goes into a header and never into a message: exceptions of httpx, which hold the request, are
not chained, and a provider's words are shown with the key blotted out.
"""

import json
import random
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx
from prometheus_client import Counter, Histogram

from memory.engine.embedding import EmbedderError

SECONDS = Histogram(
    "loci_embedder_request_seconds",
    "Seconds of one request to an embedding service, each try for itself",
    ["provider", "outcome"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
FAILURES = Counter(
    "loci_embedder_failures_total",
    "Embedding calls that failed after all their tries",
    ["provider", "outcome"],
)
MAX_BYTES = 64 * 1024 * 1024
CONNECT_SECONDS = 5.0
PASSING = frozenset({"timeout", "connect", "rate_limited", "server_error"})
TRY_LATER = "it is tried again later; check that the service runs and EMBEDDER_URL is right"


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to try and how long to wait, in seconds; the clock and the wait can be replaced in tests.

    The n-th wait is `first` · 2ⁿ, of which a random half is left out, or what Retry-After says.
    Nothing waits longer than `longest`: a longer Retry-After ends the call with that figure in its error.
    """

    tries: int = 3
    first: float = 0.5
    longest: float = 20.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random

    def wait(self, tried: int, asked: float | None) -> float:
        """Seconds before the next try, after `tried` ones, when the service `asked` for so many or for none."""
        if asked is not None:
            return asked
        return min(self.longest, self.first * 2.0 ** (tried - 1)) * (0.5 + self.chance() / 2)


class ServiceClient:
    """Posts JSON to one service and returns the JSON it answers. Pools connections; safe between threads."""

    def __init__(
        self,
        provider: str,
        model: str,
        base_url: str,
        *,
        timeout: float,
        api_key: str = "",
        key_header: str = "Authorization",
        key_scheme: str = "Bearer ",
        patience: Patience | None = None,
    ) -> None:
        self.provider, self.model, self.base_url = provider, model, base_url.rstrip("/")
        self._timeout, self._patience = timeout, patience or Patience()
        self._key = api_key.strip()
        self._validate()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers[key_header] = key_scheme + self._key
        self._client = httpx.Client(
            headers=headers,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=16, max_keepalive_connections=8, keepalive_expiry=30),
        )
        # an embedder that is dropped from the registry takes its connections along
        weakref.finalize(self, self._client.close).atexit = False

    def __repr__(self) -> str:
        return f"<ServiceClient {self.provider} {self.place}>"

    @property
    def place(self) -> str:
        """Scheme, host and port of the service; no user, path or query."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def post(self, path: str, body: Mapping[str, Any], *, budget: float | None = None) -> Any:
        """The JSON answered to `body` at base URL + `path`.

        Each try may take the client's time-out; with a `budget` (seconds) all tries and waits together may not
        take longer than that. Raises EmbedderError.
        """
        clock = self._patience.clock
        until = None if budget is None else clock() + budget
        content = json.dumps(body, ensure_ascii=False).encode()
        tried = 0
        while True:
            left = self._timeout if until is None else min(self._timeout, until - clock())
            try:
                return self._timed_try(path, content, max(left, 0.001))
            except EmbedderError as error:
                tried += 1
                pause = self._pause(error, tried, until)
                if pause is None:
                    raise
            self._patience.sleep(pause)

    def _pause(self, error: EmbedderError, tried: int, until: float | None) -> float | None:
        """Seconds to wait before the next try; None when there shall be none."""
        if error.kind not in PASSING or tried >= self._patience.tries:
            return None
        pause = self._patience.wait(tried, error.retry_after)
        if pause > self._patience.longest:
            return None
        if until is not None and self._patience.clock() + pause >= until:
            return None
        return pause

    def _timed_try(self, path: str, content: bytes, seconds: float) -> Any:
        begun, outcome = self._patience.clock(), "ok"
        try:
            return self._read(*self._exchange(path, content, seconds))
        except EmbedderError as error:
            outcome = error.kind
            raise
        finally:
            SECONDS.labels(self.provider, outcome).observe(self._patience.clock() - begun)

    def _exchange(self, path: str, content: bytes, seconds: float) -> tuple[httpx.Response, bytes]:
        """One request and the whole answer, within `seconds` and MAX_BYTES. Raises EmbedderError."""
        limits = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        try:
            with self._client.stream("POST", self.base_url + path, content=content, timeout=limits) as response:
                return response, b"".join(self._parts(response, seconds))
        except httpx.TimeoutException:
            kind, problem = "timeout", f"no answer from {self.place} within {seconds:.3g} s"
        except httpx.TransportError as fault:
            kind, problem = "connect", f"the connection to {self.place} failed ({type(fault).__name__})"
        except httpx.HTTPError as fault:
            kind, problem = "malformed", f"the answer of {self.place} cannot be read ({type(fault).__name__})"
        raise self.error(problem, TRY_LATER, kind=kind, retryable=True)

    def _parts(self, response: httpx.Response, seconds: float) -> Iterator[bytes]:
        """The decoded body; httpx's time-out is for each read, so a service that drips is stopped here."""
        until, size = self._patience.clock() + seconds, 0
        for part in response.iter_bytes():
            size += len(part)
            if size > MAX_BYTES:
                raise self.error(f"the answer is over {MAX_BYTES} bytes", "lower EMBEDDER_BATCH_SIZE", kind="malformed")
            if self._patience.clock() > until:
                raise httpx.ReadTimeout("dripping", request=response.request)
            yield part

    def _read(self, response: httpx.Response, content: bytes) -> Any:
        """The answer's JSON. Raises EmbedderError for any status but 2xx and for what is not JSON."""
        if response.is_success:
            try:
                return json.loads(content)
            except ValueError:
                pass
            raise self.error(
                f"{self.place} answered something that is not JSON",
                "check that EMBEDDER_URL is the address of an embedding service",
                kind="malformed",
                retryable=True,
            )
        raise self._refused(response, content)

    def _refused(self, response: httpx.Response, content: bytes) -> EmbedderError:
        """The error for an answer that is not a success."""
        status = response.status_code
        problem = f"{self.place} answered {status}{self._words(content)}"
        if 300 <= status < 400:
            return self.error(
                f"{self.place} answered {status}, and redirects are refused",
                "set EMBEDDER_URL to the final address",
                kind="redirect",
            )
        if status in (401, 403):
            return self.error(f"{self.place} answered {status}", "check EMBEDDER_API_KEY", kind="unauthorized")
        if status == 429:
            asked = retry_after(response.headers.get("Retry-After", ""))
            return self.error(problem, "", kind="rate_limited", retryable=True, retry_after=asked)
        if status >= 500 and "NaN" in problem:  # Ollama: the same text gives it each time
            return self.error(problem, "the model cannot embed this text", kind="malformed")
        if status >= 500:
            asked = retry_after(response.headers.get("Retry-After", "")) if status == 503 else None
            return self.error(problem, TRY_LATER, kind="server_error", retryable=True, retry_after=asked)
        return self.error(problem, "check EMBEDDER_URL and EMBEDDER_MODEL", kind="client_error")

    def _words(self, content: bytes) -> str:
        """What the service says about its refusal, at most 200 characters of it; empty when it says nothing."""
        try:
            said = json.loads(content)
        except ValueError:
            return ""
        said = said.get("error", said.get("message", "")) if isinstance(said, dict) else ""
        said = said.get("message", "") if isinstance(said, dict) else said
        if not isinstance(said, str) or not said:
            return ""
        said = said.replace(self._key, "***") if self._key else said
        return ": " + " ".join(said.split())[:200]

    def _validate(self) -> None:
        """Refuse early what httpx would refuse with the key in its message."""
        if urlsplit(self.base_url).scheme not in ("http", "https") or not urlsplit(self.base_url).hostname:
            raise self.error("EMBEDDER_URL is not an http or https address", "set EMBEDDER_URL", kind="setting")
        if not all("!" <= character <= "~" for character in self._key):
            raise self.error("the key has characters that no key has", "set EMBEDDER_API_KEY anew", kind="setting")

    def error(
        self, problem: str, remedy: str = "", *, kind: str, retryable: bool = False, retry_after: float | None = None
    ) -> EmbedderError:
        """An EmbedderError in this service's name."""
        return EmbedderError(
            self.provider, self.model, problem, remedy, kind=kind, retryable=retryable, retry_after=retry_after
        )


def retry_after(value: str) -> float | None:
    """Seconds of a Retry-After header, which gives seconds or a date; None when it gives neither."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
