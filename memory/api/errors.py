"""Exceptions out, as problem documents."""

from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from loci.ground.bodies import BrokenBody, BrokenOff
from loci.ground.errors import LociError, TooLarge, Unavailable
from loci.ground.problems import CONTENT_TYPE, problem_document
from memory.engine.embedding import EmbedderError

log = structlog.get_logger(__name__)


def handle(error: Exception, context: dict[str, Any]) -> Response:
    """The response for any exception that a REST view raises; an unexpected one shows nothing of itself."""
    known = _known(error)
    if known.status >= 500 and not isinstance(error, LociError):
        log.exception("request_failed", reason=type(error).__name__)
    response = Response(
        problem_document(known), status=known.status, content_type=CONTENT_TYPE, headers=known.headers or None
    )
    response._has_been_logged = True  # type: ignore[attr-defined]  # else Django logs a full quota as an error of ours
    return response


def _known(error: Exception) -> LociError:
    if isinstance(error, LociError):
        return error
    if isinstance(error, BrokenBody):
        return BrokenOff(error)
    if isinstance(error, RequestDataTooBig):
        return TooLarge("The body is over the limit.")
    if isinstance(error, Http404 | PermissionDenied):
        error = exceptions.NotFound() if isinstance(error, Http404) else exceptions.PermissionDenied()
    if isinstance(error, exceptions.APIException):
        known = LociError(str(error.detail), code=str(error.default_code))
        known.status = error.status_code
        if isinstance(error, exceptions.UnsupportedMediaType):
            known = _with_status(
                LociError("Send JSON: Content-Type: application/json.", code="unsupported_media_type"), 415
            )
        return known
    if isinstance(error, EmbedderError):
        return Unavailable("The embedder does not answer: try again in a moment.", headers={"Retry-After": "10"})
    if isinstance(error, OperationalError | InterfaceError):
        return Unavailable("The database does not answer: try again in a moment.", headers={"Retry-After": "2"})
    return LociError("Something failed on our side; the request id names it in our logs.", code="internal_error")


def _with_status(error: LociError, status: int) -> LociError:
    error.status = status
    return error
