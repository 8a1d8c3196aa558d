"""The language model port: messages in, a text or a checked JSON value out. Adapters live in `memory.stores.llm`.

    LanguageModelError
    ├── RefusedByPolicy   the address may not be called, or it redirects
    ├── Unreachable       no connection
    ├── TimedOut          no whole answer before the deadline
    ├── RateLimited       the service says: later (`retry_after`)
    ├── ServerError       the service failed
    ├── Rejected          the service does not take the request: key, model, parameters; or a setting is wrong
    └── BadReply          the answer is cut off, empty, not JSON or not of the schema

Messages of these errors hold no prompt, no reply and no key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

Role = Literal["system", "user", "assistant"]
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answers: `text` is never blank; `parsed` is the JSON value when a schema was given.

    `tokens_in` and `tokens_out` are the service's own count, None when it gives none. `model` is what the service calls
    the model that answered.
    """

    text: str
    parsed: Any = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str = ""


class LanguageModel(Protocol):
    """A chat model. Safe to share between threads."""

    @property
    def name(self) -> str:
        """The provider: `openai`, `ollama`, `gemini`."""
        ...

    @property
    def model(self) -> str:
        """The model, as the provider calls it."""
        ...

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: float,
        temperature: float = 0.0,
        schema: Schema | None = None,
    ) -> Reply:
        """The model's reply, of at most `max_tokens` tokens, before `deadline` on time.monotonic()'s clock.

        With a `schema` (a JSON schema whose root is an object) the reply is JSON that fits it. `temperature` is 0 to 2.
        Raises LanguageModelError.
        """
        ...


class LanguageModelError(Exception):
    """A language model gave no usable reply. `str()` says which model, what was wrong and what to do.

    `kind` is a word fit for a metric label and for `degraded`; `retryable` says whether the same call may succeed
    later; `retry_after` is the wait in seconds that the service asked for, when it did.
    """

    kind: ClassVar[str] = "failed"

    def __init__(
        self,
        provider: str,
        model: str,
        problem: str,
        remedy: str = "",
        *,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(provider, model, problem, remedy)
        self.provider, self.model, self.problem, self.remedy = provider, model, problem, remedy
        self.retryable, self.retry_after = retryable, retry_after

    def __str__(self) -> str:
        who = f"language model {self.provider}" + (f" ({self.model})" if self.model else "")
        return f"{who}: {self.problem}" + (f"; {self.remedy}" if self.remedy else "")


class RefusedByPolicy(LanguageModelError):
    """The address may not be called, or it redirects."""

    kind = "refused"


class Unreachable(LanguageModelError):
    """The service cannot be connected to."""

    kind = "unreachable"


class TimedOut(LanguageModelError):
    """The whole answer was not there before the deadline."""

    kind = "timeout"


class RateLimited(LanguageModelError):
    """The service takes no more requests for now."""

    kind = "rate_limited"


class ServerError(LanguageModelError):
    """The service failed."""

    kind = "server_error"


class Rejected(LanguageModelError):
    """The service does not take the request, or it cannot be made with these settings."""

    kind = "rejected"


class BadReply(LanguageModelError):
    """The reply is cut off, empty, not JSON or not of the schema."""

    kind = "bad_reply"
