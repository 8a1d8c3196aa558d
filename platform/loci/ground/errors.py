"""What can go wrong for a user, independent of any door.

    LociError
    ├── InvalidRequest      422  schema errors, unknown fields, limits exceeded: carries a list of faults
    ├── RuleBroken          400  well-formed, but against a rule
    ├── Unauthenticated     401
    ├── Forbidden           403
    ├── NotFound            404  also what another tenant's id gets
    ├── Conflict            409
    ├── PreconditionFailed  412
    ├── TooLarge            413
    ├── RateLimited         429
    ├── Unavailable         503
    └── QuotaExceeded       507

Each door renders them in its own form: problem+json, a tool error, a notice on a page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a request: `loc` is the path to it (`("body", "items", 3, "text")`)."""

    loc: tuple[str | int, ...]
    msg: str
    type: str = "value_error"

    @property
    def pointer(self) -> str:
        """The JSON pointer (RFC 6901) to the fault, without the leading `body`."""
        parts = self.loc[1:] if self.loc[:1] == ("body",) else self.loc
        return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


class LociError(Exception):
    """A fault that the caller can understand; `str(error)` is the message for them."""

    status = 500
    code = "error"
    headers: dict[str, str]

    def __init__(self, message: str, *, code: str | None = None, headers: dict[str, str] | None = None, **extra: Any):
        super().__init__(message)
        self.code = code or type(self).code
        self.headers = headers or {}
        self.extra = extra


class InvalidRequest(LociError):
    """The request does not fit its schema."""

    status, code = 422, "invalid_request"

    def __init__(self, faults: Sequence[Fault], **extra: Any):
        self.faults = list(faults)
        first = self.faults[0]
        where = ".".join(str(part) for part in first.loc[1:]) or str(first.loc[0])
        super().__init__(f"{where}: {first.msg}", **extra)


class RuleBroken(LociError):
    """The request is well-formed but against a rule."""

    status, code = 400, "rule_broken"


class Unauthenticated(LociError):
    """No credential, or one that does not hold."""

    status, code = 401, "unauthenticated"


class Forbidden(LociError):
    """The credential holds, but lacks the right."""

    status, code = 403, "forbidden"


class NotFound(LociError):
    """There is no such thing, or it is another tenant's."""

    status, code = 404, "not_found"


class Conflict(LociError):
    """The state of the thing does not allow it now."""

    status, code = 409, "conflict"


class PreconditionFailed(LociError):
    """`If-Match` does not name the current version."""

    status, code = 412, "precondition_failed"


class TooLarge(LociError):
    """The body is over the limit."""

    status, code = 413, "too_large"


class RateLimited(LociError):
    """Too many requests; `retry_after` is in whole seconds."""

    status, code = 429, "rate_limited"


class Unavailable(LociError):
    """Something that the request needs does not answer."""

    status, code = 503, "unavailable"


class QuotaExceeded(LociError):
    """A hard limit of the tenant's plan."""

    status, code = 507, "quota_exceeded"
