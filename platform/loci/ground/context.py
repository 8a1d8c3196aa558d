"""Facts about the request (or job) at hand that audit events and logs carry."""

import contextlib
import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_address

from loci.ground.ids import uuid7

_SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """`trace_id` is the 32 hex digits of a W3C `traceparent`, or empty; `address` the peer's, or None."""

    request_id: str = ""
    trace_id: str = ""
    address: str | None = None


current: ContextVar[RequestFacts] = ContextVar("request_facts", default=RequestFacts())


def facts_of(headers: Mapping[str, str], peer: str | None, *, behind_proxy: bool) -> RequestFacts:
    """The facts about an HTTP request; `headers` finds names in lower case, with the values
    of repeated ones joined by commas. The caller's `X-Request-ID` counts when it
    is sane."""
    given = headers.get("x-request-id", "")
    return RequestFacts(
        request_id=given if _SANE_ID.fullmatch(given) else str(uuid7()),
        trace_id=trace_of(headers.get("traceparent", "")),
        address=_address(headers.get("x-forwarded-for", ""), peer, behind_proxy=behind_proxy),
    )


def trace_of(traceparent: str) -> str:
    """The trace id of a W3C `traceparent`; empty when it is none."""
    match = _TRACEPARENT.fullmatch(traceparent)
    return match[1] if match else ""


def _address(forwarded: str, peer: str | None, *, behind_proxy: bool) -> str | None:
    """Who asks: the peer, or behind a proxy whom that one names last; what stands before it anyone may have written.
    None for a peer without an address, as behind a Unix socket."""
    named = forwarded.rpartition(",")[2].strip().partition("%")[0] if behind_proxy else ""
    for address in (named, peer or ""):
        with contextlib.suppress(ValueError):
            return str(ip_address(address))
    return None
