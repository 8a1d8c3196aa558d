"""What language models that are HTTP services do alike: call, learn what the service does not take, check, count."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prometheus_client import Counter, Histogram

from memory.engine.json_reply import NotTheSchema, json_of, without_thinking
from memory.engine.language_model import (
    BadReply,
    LanguageModelError,
    Message,
    RateLimited,
    RefusedByPolicy,
    Rejected,
    Reply,
    Schema,
    ServerError,
    TimedOut,
    Unreachable,
)
from memory.stores.llm.config import LanguageModelConfig
from memory.stores.outbound.addresses import networks
from memory.stores.outbound.client import BUCKETS, LIMITS, Patience, ServiceClient, Terms
from memory.stores.outbound.fault import Fault
from memory.stores.outbound.guard import GuardedTransport, Resolver, system_resolver

SECONDS = Histogram(
    "loci_llm_request_seconds",
    "Seconds of one request to a language model, each try for itself",
    ["provider", "outcome"],
    buckets=BUCKETS,
)
CALLS = Counter("loci_llm_calls_total", "Calls of a language model, after all their tries", ["provider", "outcome"])
TOKENS = Counter("loci_llm_tokens_total", "Tokens that language models say they read and wrote", ["provider", "way"])

MAX_BYTES = 4 * 1024 * 1024
LEARNT = 6
"""Requests of one call that may teach what the service does not take, at most."""
ERRORS: Mapping[str, type[LanguageModelError]] = {
    "refused": RefusedByPolicy,
    "redirect": RefusedByPolicy,
    "connect": Unreachable,
    "timeout": TimedOut,
    "rate_limited": RateLimited,
    "server_error": ServerError,
    "client_error": Rejected,
    "unauthorized": Rejected,
    "setting": Rejected,
    "malformed": BadReply,
}


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of the model."""

    messages: Sequence[Message]
    max_tokens: int
    temperature: float
    schema: Schema | None

    def spelled_out(self) -> Sequence[Message]:
        """The messages, and the schema in words after them: for a service that takes no schema."""
        words = f"Answer with one JSON object and nothing else. It fits this JSON schema: {json.dumps(self.schema)}"
        return [*self.messages, Message("system", words)]


@dataclass(frozen=True, slots=True)
class Said:
    """A service's answer, read: `cut` says that it ended at the limit of tokens, `refused` that the model declined."""

    text: str
    cut: bool = False
    refused: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str = ""


class ServiceModel(ABC):
    """A `LanguageModel` but for the form of a request and of an answer."""

    default_url = ""

    def __init__(
        self,
        config: LanguageModelConfig,
        patience: Patience | None = None,
        resolver: Resolver = system_resolver,
    ) -> None:
        self.name, self.model, self._patience = config.provider, config.model.strip(), patience or Patience()
        if not self.model:
            raise Rejected(self.name, "", "no model is named", f"set {config.named('model')}")
        self._client = self._connected(config, resolver)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.model} at {self._client.place}>"

    @property
    def address(self) -> str:
        """A digest of the service's address."""
        return self._client.address

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: float,
        temperature: float = 0.0,
        schema: Schema | None = None,
    ) -> Reply:
        """As the port says."""
        outcome = "ok"
        try:
            said = self._said(Ask(messages, max_tokens, temperature, schema), deadline)
            return self._reply(said, max_tokens, schema)
        except LanguageModelError as error:
            outcome = error.kind
            raise
        finally:
            CALLS.labels(self.name, outcome).inc()

    @property
    @abstractmethod
    def path(self) -> str:
        """What follows the base URL."""

    @abstractmethod
    def base_url(self, url: str) -> str:
        """The service's address that `url` means."""

    @abstractmethod
    def body(self, ask: Ask) -> dict[str, Any]:
        """The request, in what the service is known to take."""

    @abstractmethod
    def read(self, answer: Any) -> Said:
        """The answer. Raises LookupError, TypeError or AttributeError when it has another form."""

    @abstractmethod
    def learn(self, complaint: str) -> bool:
        """Whether `complaint`, the service's words about a request in lower case, taught to leave something out."""

    def error(self, kind: type[LanguageModelError], problem: str, remedy: str = "", **more: Any) -> LanguageModelError:
        """An error in this model's name."""
        return kind(self.name, self.model, problem, remedy, **more)

    def _connected(self, config: LanguageModelConfig, resolver: Resolver) -> ServiceClient:
        terms = Terms(
            service="a language model",
            url=config.named("url"),
            key=config.named("api_key"),
            model=config.named("model"),
            seconds=SECONDS,
            refused="give a public address; an operator can allow a network with ALLOWED_PRIVATE_NETWORKS",
            max_bytes=MAX_BYTES,
        )
        transport = None
        if config.guarded:
            transport = GuardedTransport(networks(config.allowed), limits=LIMITS, resolver=resolver, owner=config.owner)
        try:
            return ServiceClient(
                self.name,
                self.base_url((config.url.strip() or self.default_url).rstrip("/")),
                terms,
                timeout=config.timeout,
                api_key=config.api_key,
                patience=self._patience,
                transport=transport,
            )
        except Fault as fault:
            raise self._translated(fault) from None

    def _said(self, ask: Ask, deadline: float) -> Said:
        """What the service answers, after it has taught what it does not take. Raises LanguageModelError."""
        for _ in range(LEARNT):
            left = deadline - time.monotonic()
            if left <= 0:
                raise self.error(TimedOut, "there is no time left for a request", retryable=True)
            try:
                answer = self._client.post(self.path, self.body(ask), budget=left)
                return self.read(answer)
            except Fault as fault:
                if fault.kind != "client_error" or not self.learn(fault.said.lower()):
                    raise self._translated(fault) from None
            except (LookupError, TypeError, AttributeError):
                raise self.error(BadReply, "the answer has not the form of a chat completion") from None
        raise self.error(Rejected, "the service refuses each form of the request")

    def _reply(self, said: Said, max_tokens: int, schema: Schema | None) -> Reply:
        """The reply, checked. Raises BadReply."""
        TOKENS.labels(self.name, "in").inc(said.tokens_in or 0)
        TOKENS.labels(self.name, "out").inc(said.tokens_out or 0)
        text = without_thinking(said.text)
        if said.refused:
            raise self.error(BadReply, "the model declines to answer")
        if not text:
            remedy = "a model that thinks needs more of them, or thinking switched off" if said.cut else ""
            raise self.error(BadReply, f"the reply is empty (within {max_tokens} tokens)", remedy)
        parsed = None
        if schema is not None:
            try:
                parsed = json_of(text, schema)
            except NotTheSchema as fault:
                raise self.error(BadReply, f"the reply is not what was asked for: {fault}") from None
        elif said.cut:
            raise self.error(BadReply, f"the reply is cut off after {max_tokens} tokens")
        return Reply(text, parsed, said.tokens_in, said.tokens_out, said.model or self.model)

    def _translated(self, fault: Fault) -> LanguageModelError:
        """The error for `fault`; the service's words are left out, since they may quote the prompt."""
        return self.error(
            ERRORS[fault.kind],
            fault.problem + (f" ({fault.code})" if fault.code else ""),
            fault.remedy,
            retryable=fault.retryable,
            retry_after=fault.retry_after,
        )


def count(value: Any) -> int | None:
    """A number of tokens, or None when it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None
