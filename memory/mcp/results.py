"""Results and errors as MCP wants them: structured, and as text for the model."""

from typing import Any

import mcp_types as types
from pydantic import BaseModel

from loci.ground.errors import InvalidRequest, LociError
from memory.tools.registry import Tool

SEED_KINDS = {401: "unauthorized", 403: "unauthorized", 400: "invalid_argument", 422: "invalid_argument",
              404: "invalid_argument", 507: "quota_exceeded"}  # fmt: skip
"""The seed's `error_kind` by status."""
ERROR = "loci/error"
"""Where the `_meta` of a failed call holds what REST's problem document has."""


def success(tool: Tool, result: BaseModel) -> types.CallToolResult:
    """The result twice over: as data, and as text."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=tool.markdown(result))],
        structured_content=result.model_dump(mode="json"),
    )


def failure(error: LociError, request_id: str, *, seed: bool = False) -> types.CallToolResult:
    """A fault that the model can act on: what was wrong, where, and what to do; the same code and words as REST's."""
    data = problem(error, request_id)
    lines = [message(error)]
    if wait := error.headers.get("Retry-After"):
        lines.append(f"Try again in {wait} s.")
    lines.append(f"(error {error.code}, request {request_id})")
    if seed:
        data |= {"ok": False, "error": message(error), "error_kind": SEED_KINDS.get(error.status, "error")}
    # no structured content: clients throw away the whole answer, text and all, if it does not fit the output schema
    text = types.TextContent(type="text", text=" ".join(lines))
    return types.CallToolResult(content=[text], is_error=True, _meta={ERROR: data})


def message(error: LociError) -> str:
    """What went wrong, every fault of it."""
    if not isinstance(error, InvalidRequest):
        return str(error)
    return "; ".join(f"{fault.pointer.lstrip('/') or 'arguments'}: {fault.msg}" for fault in error.faults[:10])


def problem(error: LociError, request_id: str) -> dict[str, Any]:
    """The error's data: what REST's problem document has."""
    data: dict[str, Any] = {
        "code": error.code, "status": error.status, "detail": message(error), "request_id": request_id, **error.extra,
    }  # fmt: skip
    if isinstance(error, InvalidRequest):
        data["errors"] = [{"pointer": fault.pointer, "detail": fault.msg} for fault in error.faults]
    if wait := error.headers.get("Retry-After"):
        data["retry_after"] = int(wait)
    return data
