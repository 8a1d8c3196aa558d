"""The one HTTP client of all services that are called: time-outs, retries, limits, metrics.

A call fails with a `Fault` and nothing else. Its `kind` is the metric's label:

    timeout connect rate_limited server_error     tried again within the call, and retryable later
    client_error unauthorized redirect refused    final: somebody has to change something
    malformed                                     the answer is not what it should be

The key goes into a header and never into a message: exceptions of httpx, which hold the request, are
not chained, and a service's words are kept with the key blotted out. An answer is asked for as it is, not compressed,
and a compressed one is not unpacked: a few bytes may unpack to more than there is memory.
"""

import hashlib
import json
import random
import re
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx
from prometheus_client import Histogram

from memory.stores.outbound.deadline import bind_client, ends_within
from memory.stores.outbound.fault import Fault
from memory.stores.outbound.guard import Refused

MAX_BYTES = 64 * 1024 * 1024
CONNECT_SECONDS = 5.0
LIMITS = httpx.Limits(max_connections=16, max_keepalive_connections=8, keepalive_expiry=30)
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_CODE = re.compile(r"[a-z0-9_]{1,40}")
_RUN = 8
"""Characters of the key in a row that nothing a service says may repeat."""
_HOST = re.compile(r"[\w.:-]+")
PASSING = frozenset({"timeout", "connect", "rate_limited", "server_error"})


@dataclass(frozen=True, slots=True)
class Terms:
    """How a kind of service is spoken of in remedies, and where its seconds are counted.

    `url`, `key` and `model` are the names of the settings; `hopeless` are words of a 5xx that the same request gets
    each time, and what to do about it. `seconds` has the labels provider and outcome. `max_bytes` of an answer are
    read, MAX_BYTES when it is 0.
    """

    service: str
    url: str
    key: str
    model: str
    seconds: Histogram
    smaller: str = ""
    refused: str = ""
    max_bytes: int = 0
    hopeless: Mapping[str, str] = field(default_factory=dict)

    @property
    def try_later(self) -> str:
        """The remedy for what passes."""
        return f"it is tried again later; check that the service runs and {self.url} is right"


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
        base_url: str,
        terms: Terms,
        *,
        timeout: float,
        api_key: str = "",
        key_header: str = "Authorization",
        key_scheme: str = "Bearer ",
        patience: Patience | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.provider, self.base_url, self.terms = provider, base_url.rstrip("/"), terms
        self._timeout, self._patience = timeout, patience or Patience()
        self._key = api_key.strip()
        self._validate()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers[key_header] = key_scheme + self._key
        self._client = httpx.Client(
            headers=headers,
            follow_redirects=False,
            limits=LIMITS,
            transport=transport,
        )
        bind_client(self._client)
        # a client that nobody keeps any more takes its connections along
        weakref.finalize(self, self._client.close).atexit = False

    def __repr__(self) -> str:
        return f"<ServiceClient {self.provider} {self.place}>"

    @property
    def place(self) -> str:
        """Scheme, host and port of the service; no user, path or query."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    @property
    def address(self) -> str:
        """A digest of the base URL, to tell services apart by; the URL may hold a password."""
        return hashlib.sha256(self.base_url.encode("utf-8", "replace")).hexdigest()[:16]

    def post(self, path: str, body: Mapping[str, Any], *, budget: float | None = None) -> Any:
        """The JSON answered to `body` at base URL + `path`.

        Each try may take the client's time-out; with a `budget` (seconds) all tries and waits together may not
        take longer than that. Raises Fault.
        """
        clock = self._patience.clock
        until = None if budget is None else clock() + budget
        content = json.dumps(body, ensure_ascii=False).encode()
        tried = 0
        while True:
            left = self._timeout if until is None else min(self._timeout, until - clock())
            try:
                return self._timed_try(path, content, max(left, 0.001))
            except Fault as fault:
                tried += 1
                pause = self._pause(fault, tried, until)
                if pause is None:
                    raise
            self._patience.sleep(pause)

    def _pause(self, fault: Fault, tried: int, until: float | None) -> float | None:
        """Seconds to wait before the next try; None when there shall be none."""
        if fault.kind not in PASSING or tried >= self._patience.tries:
            return None
        pause = self._patience.wait(tried, fault.retry_after)
        if pause > self._patience.longest:
            return None
        if until is not None and self._patience.clock() + pause >= until:
            return None
        return pause

    def _timed_try(self, path: str, content: bytes, seconds: float) -> Any:
        begun, outcome = self._patience.clock(), "ok"
        try:
            return self._read(*self._exchange(path, content, seconds))
        except Fault as fault:
            outcome = fault.kind
            raise
        finally:
            self.terms.seconds.labels(self.provider, outcome).observe(self._patience.clock() - begun)

    def _exchange(self, path: str, content: bytes, seconds: float) -> tuple[httpx.Response, bytes]:
        """One request and the whole answer, within `seconds` and MAX_BYTES. Raises Fault."""
        limits = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        retryable = True
        try:
            with (
                ends_within(seconds),
                self._client.stream("POST", self.base_url + path, content=content, timeout=limits) as response,
            ):
                return response, b"".join(self._parts(response))
        except Refused as refused:
            kind, problem, retryable = "refused", str(refused), False
        except httpx.TimeoutException:
            kind, problem = "timeout", f"no answer from {self.place} within {seconds:.3g} s"
        except httpx.TransportError as fault:
            kind, problem = "connect", f"the connection to {self.place} failed ({type(fault).__name__})"
        except httpx.HTTPError as fault:
            kind, problem = "malformed", f"the answer of {self.place} cannot be read ({type(fault).__name__})"
        remedy = self.terms.try_later if retryable else self.terms.refused
        raise Fault(problem, remedy, kind=kind, retryable=retryable)

    def _parts(self, response: httpx.Response) -> Iterator[bytes]:
        """The body as it is sent; nothing of one that is compressed."""
        size, most = 0, self.terms.max_bytes or MAX_BYTES
        for part in () if _compressed(response) else response.iter_raw():
            size += len(part)
            if size > most:
                raise Fault(f"the answer is over {most} bytes", self.terms.smaller, kind="malformed")
            yield part

    def _read(self, response: httpx.Response, content: bytes) -> Any:
        """The answer's JSON. Raises Fault for any status but 2xx and for what is not JSON."""
        if response.is_success and _compressed(response):
            raise Fault(
                f"{self.place} answered in a Content-Encoding, which was not asked for",
                f"let {self.terms.service} honour 'Accept-Encoding: identity', or a proxy before it not compress",
                kind="malformed",
            )
        if response.is_success:
            try:
                return json.loads(content)
            except (ValueError, RecursionError):
                pass
            raise Fault(
                f"{self.place} answered something that is not JSON",
                f"check that {self.terms.url} is the address of {self.terms.service}",
                kind="malformed",
                retryable=True,
            )
        raise self._refused(response, content)

    def _refused(self, response: httpx.Response, content: bytes) -> Fault:
        """The fault for an answer that is not a success."""
        status, terms = response.status_code, self.terms
        said, code = self._words(content)
        problem = f"{self.place} answered {status}"
        if 300 <= status < 400:
            return Fault(
                f"{problem}, and redirects are refused", f"set {terms.url} to the final address", kind="redirect"
            )
        if status in (401, 403):
            return Fault(problem, f"check {terms.key}", kind="unauthorized", said=said, code=code)
        asked = retry_after(response.headers.get("Retry-After", "")) if status in (429, 503) else None
        passes = partial(Fault, problem, retryable=True, retry_after=asked, said=said, code=code)
        if status == 429:
            return passes(kind="rate_limited")
        if status >= 500:
            for words, remedy in terms.hopeless.items():
                if words in said:
                    return Fault(problem, remedy, kind="malformed", said=said)
            return passes(terms.try_later, kind="server_error")
        return Fault(problem, f"check {terms.url} and {terms.model}", kind="client_error", said=said, code=code)

    def _words(self, content: bytes) -> tuple[str, str]:
        """What the service says about its refusal, at most 200 characters of it, and its code for it; empty when it
        says nothing."""
        try:
            said = json.loads(content)
        except (ValueError, RecursionError):
            return "", ""
        if isinstance(said, list) and said:  # Gemini
            said = said[0]
        said = said.get("error", said.get("message", "")) if isinstance(said, dict) else ""
        code = (said.get("code") or said.get("type")) if isinstance(said, dict) else ""
        said = said.get("message", "") if isinstance(said, dict) else said
        if not isinstance(code, str) or not _CODE.fullmatch(code) or self._shows_key(code):
            code = ""
        if not isinstance(said, str) or not said:
            return "", code
        said = said.replace(self._key, "***") if self._key else said
        shown = "".join(each if each.isprintable() else " " for each in said[:2000])
        return " ".join(shown.split())[:200], code

    def _shows_key(self, text: str) -> bool:
        """Whether `text` repeats 8 characters of the key, or all of a shorter one, in whatever case."""
        key, text = self._key.casefold(), text.casefold()
        runs = (key[start : start + _RUN] for start in range(max(1, len(key) - _RUN + 1)))
        return bool(key) and any(run in text for run in runs)

    def _validate(self) -> None:
        """Refuse early what httpx would refuse with the key in its message."""
        if not is_web_address(self.base_url):
            raise Fault(f"{self.terms.url} is not an http or https address", f"set {self.terms.url}", kind="setting")
        if not all("!" <= character <= "~" for character in self._key):
            raise Fault("the key has characters that no key has", f"set {self.terms.key} anew", kind="setting")


def _compressed(response: httpx.Response) -> bool:
    return response.headers.get("Content-Encoding", "").strip().lower() not in ("", "identity")


def is_web_address(text: str) -> bool:
    """Whether `text` is an http or https address with a host, and a port that there can be."""
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return url.scheme in ("http", "https") and bool(_HOST.fullmatch(url.host)) and 0 < (url.port or 80) < 65536


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
