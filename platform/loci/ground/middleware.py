"""What happens around every request: an id, log context, a metric, and the limit on bodies."""

import io
import ipaddress
import re
import time
from collections.abc import Callable
from typing import IO

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from loci.ground.bodies import BrokenBody, BrokenOff, WholeBody, read_no_further, received
from loci.ground.context import RequestFacts, current
from loci.ground.errors import TooLarge
from loci.ground.ids import uuid7
from loci.ground.metrics import REQUEST_SECONDS
from loci.ground.problems import problem

Handler = Callable[[HttpRequest], HttpResponse]
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Methods that a metric names; a caller may make up others without end."""
_SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


def _facts(request: HttpRequest) -> RequestFacts:
    given = request.headers.get("X-Request-ID", "")
    trace = _TRACEPARENT.fullmatch(request.headers.get("traceparent", ""))
    return RequestFacts(
        request_id=given if _SANE_ID.fullmatch(given) else str(uuid7()),
        trace_id=trace[1] if trace else "",
        address=_address(request),
    )


def _address(request: HttpRequest) -> str | None:
    """The peer's address; behind trusted proxies the one that the first of them saw, since callers may add others."""
    hops = [request.META.get("REMOTE_ADDR", "")]
    if settings.TRUSTED_PROXIES:
        hops = [*request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")[-settings.TRUSTED_PROXIES :], *hops]
    for hop in hops:
        try:
            return str(ipaddress.ip_address(hop.strip()))
        except ValueError:
            pass
    return None


class RequestContext:
    """Gives the request an id (the caller's `X-Request-ID` when it is sane) and measures it."""

    def __init__(self, get_response: Handler):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        facts = _facts(request)
        token = current.set(facts)
        structlog.contextvars.bind_contextvars(request_id=facts.request_id)
        began = time.perf_counter()
        try:
            response = self.get_response(request)
        finally:
            structlog.contextvars.unbind_contextvars("request_id")
            current.reset(token)
        match = request.resolver_match
        method = request.method if request.method in METHODS else "OTHER"
        REQUEST_SECONDS.labels(method, match.route if match else "", response.status_code).observe(
            time.perf_counter() - began
        )
        response.headers["X-Request-ID"] = facts.request_id
        return response


class BodyLimit:
    """Refuses a body over the limit: by what it says of itself before any of it is read, else as soon as it is passed.
    And one that is not whole: as soon as it is read.

    A chunked body is read here, since Django takes a request without Content-Length for one without a body.
    """

    def __init__(self, get_response: Handler):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        limit = settings.MAX_BODY_BYTES if request.path.startswith("/api/") else settings.MAX_FORM_BYTES
        length = request.META.get("CONTENT_LENGTH") or ""
        if not length and "chunked" in request.headers.get("Transfer-Encoding", "").lower():
            try:
                raw = received(_unsized(request), limit + 1)
            except BrokenBody as error:
                read_no_further(request)
                return problem(BrokenOff(error))
            request._stream = io.BytesIO(raw)
            length = request.META["CONTENT_LENGTH"] = str(len(raw))
        if length.isdecimal():
            if int(length) > limit:
                return problem(TooLarge(f"The body is over the limit of {limit // 2**20} MB."))
            request._stream = WholeBody(request._stream, int(length))  # type: ignore[assignment]
        return self.get_response(request)


def _unsized(request: HttpRequest) -> IO[bytes]:
    """The stream of a body without a length, where the server marks its end; else an empty one."""
    environ = getattr(request, "environ", None)
    if environ is None:
        stream: IO[bytes] = request._stream
        return stream
    return environ["wsgi.input"] if environ.get("wsgi.input_terminated") else io.BytesIO()
