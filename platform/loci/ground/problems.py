"""RFC 9457 problem documents, shaped so that the seed's clients read them too: `detail` is a list of faults for
schema errors and a string for everything else."""

from typing import Any

from django.http import JsonResponse

from loci.ground.context import current
from loci.ground.errors import InvalidRequest, LociError

TITLES = {
    400: "Bad request",
    401: "Not authenticated",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    409: "Conflict",
    412: "Precondition failed",
    413: "Too large",
    415: "Unsupported media type",
    422: "Invalid request",
    429: "Too many requests",
    500: "Internal error",
    503: "Unavailable",
    507: "Quota exceeded",
}
CONTENT_TYPE = "application/problem+json"


def problem_document(error: LociError) -> dict[str, Any]:
    """The document for `error`, as a JSON-ready dict."""
    document: dict[str, Any] = {
        "type": "about:blank",
        "title": TITLES.get(error.status, "Error"),
        "status": error.status,
        "detail": str(error),
        "code": error.code,
        "request_id": current.get().request_id,
        **error.extra,
    }
    if isinstance(error, InvalidRequest):
        document["detail"] = [{"loc": list(fault.loc), "msg": fault.msg, "type": fault.type} for fault in error.faults]
        document["errors"] = [{"pointer": fault.pointer, "detail": fault.msg} for fault in error.faults]
    return document


def problem(error: LociError) -> JsonResponse:
    """The HTTP response for `error`."""
    return JsonResponse(
        problem_document(error), status=error.status, content_type=CONTENT_TYPE, headers=error.headers or None
    )
