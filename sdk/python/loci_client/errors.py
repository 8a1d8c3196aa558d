"""What can go wrong. Catch `LociError` for all of it.

LociError
├── NotConfigured            no address or no key was given
├── NotReached               no answer: the connection failed or broke
│   └── TimedOut             … or took too long
├── UnexpectedAnswer         an answer that is none of Loci's: a proxy's page, a redirect
├── JobFailed                a large write ended early; `job` says how far it came
├── JobUnfinished            a large write takes longer than one wanted to wait
└── Refused                  an answer that says no: `status`, `code`, `detail`, `request_id`, `errors`
    ├── InvalidRequest       400, 413, 415, 422: the request does not fit, nothing was changed
    ├── NotAuthenticated     401
    ├── Forbidden            403
    ├── NotFound             404
    ├── Conflict             409
    ├── Changed              412: the memory is not the version that `if_match` names
    ├── RateLimited          429: `retry_after`
    ├── QuotaExceeded        507
    └── ServerFailed         any other 5xx
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loci_client.models import Job


class LociError(Exception):
    """Anything that this package raises on purpose."""


class NotConfigured(LociError):
    """There is no address or no key."""


class NotReached(LociError):
    """Loci did not answer. Whether it received the request is not known, unless `sent` is False."""

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class TimedOut(NotReached):
    """Loci did not answer in time."""


class UnexpectedAnswer(LociError):
    """Whatever answered does not speak Loci's API."""


class JobFailed(LociError):
    """A job failed; the batches that it stored before stay."""

    def __init__(self, job: "Job") -> None:
        super().__init__(f"Job {job.id} failed after {job.done} of {job.total} items: {job.error or 'no reason given'}")
        self.job = job


class JobUnfinished(LociError):
    """A job is still under way. `job` is how it stood last; wait for it again, or later."""

    def __init__(self, job: "Job") -> None:
        super().__init__(f"Job {job.id} is still {job.state}: {job.done} of {job.total} items are stored")
        self.job = job


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a request: `pointer` says where, as a JSON pointer into the body."""

    pointer: str
    detail: str


class Refused(LociError):
    """The server's answer to a request that it does not carry out."""

    def __init__(
        self,
        *,
        status: int,
        code: str,
        detail: str,
        request_id: str = "",
        errors: Sequence[Fault] = (),
        retry_after: float | None = None,
        document: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{detail} ({status} {code})")
        self.status = status
        self.code = code
        """A word to branch on, such as `invalid_key`."""
        self.detail = detail
        self.request_id = request_id
        """Names the request in the server's logs."""
        self.errors = tuple(errors)
        self.retry_after = retry_after
        """Seconds after which it makes sense to ask again, if the server said so."""
        self.document: Mapping[str, Any] = document or {}
        """The whole problem document (RFC 9457)."""


class InvalidRequest(Refused):
    """The request does not fit; `errors` says where."""


class NotAuthenticated(Refused):
    """The key is missing, unknown, revoked or expired."""


class Forbidden(Refused):
    """The key may not do this."""


class NotFound(Refused):
    """There is no such thing within the key's reach."""


class Conflict(Refused):
    """The thing's state does not allow it."""


class Changed(Refused):
    """Somebody changed the memory in between."""

    @property
    def current_version(self) -> str | None:
        """The version that the memory has now."""
        version = self.document.get("current_version")
        return version if isinstance(version, str) else None


class RateLimited(Refused):
    """Too many requests."""


class QuotaExceeded(Refused):
    """The write would pass a limit of the tenant; nothing of it was stored."""


class ServerFailed(Refused):
    """The server, or something before it, failed."""


_BY_STATUS: dict[int, type[Refused]] = {
    400: InvalidRequest,
    401: NotAuthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Changed,
    413: InvalidRequest,
    415: InvalidRequest,
    422: InvalidRequest,
    429: RateLimited,
    507: QuotaExceeded,
}


def refusal(status: int, document: Mapping[str, Any], *, request_id: str, retry_after: float | None) -> Refused:
    """The exception for a status and its problem document, which may be empty."""
    kind = _BY_STATUS.get(status) or (ServerFailed if status >= 500 else Refused)
    faults = _faults(document.get("errors"))
    return kind(
        status=status,
        code=str(document.get("code") or "unknown"),
        detail=_sentence(document, faults, status),
        request_id=str(document.get("request_id") or request_id),
        errors=faults,
        retry_after=retry_after,
        document=document,
    )


def _faults(given: object) -> tuple[Fault, ...]:
    entries = given if isinstance(given, list) else []
    return tuple(
        Fault(str(entry.get("pointer", "")), str(entry.get("detail", "")))
        for entry in entries
        if isinstance(entry, Mapping)
    )


def _sentence(document: Mapping[str, Any], faults: Sequence[Fault], status: int) -> str:
    """One line for people: a 422 has a list where other answers have a sentence."""
    detail = document.get("detail")
    if isinstance(detail, str) and detail:
        return detail
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        return f"{faults[0].pointer} {faults[0].detail}{more}".strip()
    return str(document.get("title") or f"answered {status}")
