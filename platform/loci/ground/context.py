"""Facts about the request (or job) at hand that audit events and logs carry."""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """`trace_id` is the 32 hex digits of a W3C `traceparent`, or empty; `address` the peer's, or None."""

    request_id: str = ""
    trace_id: str = ""
    address: str | None = None


current: ContextVar[RequestFacts] = ContextVar("request_facts", default=RequestFacts())
