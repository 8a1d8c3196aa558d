"""JSON-RPC messages as the bridge sees them: whose they are, and which headers go with them."""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Id = str | int | float
VERSION_FIELD = "io.modelcontextprotocol/protocolVersion"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
PARSE_ERROR, INVALID_REQUEST, NOT_RELAYED = -32700, -32600, -32000
_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_ENCODED = re.compile(r"=\?base64\?.*\?=")


@dataclass(frozen=True)
class Message:
    """What came in on one line: a message, or a batch of them."""

    content: Any

    @property
    def single(self) -> Mapping[str, Any]:
        """The message; empty for a batch."""
        return self.content if isinstance(self.content, dict) else {}

    @property
    def method(self) -> str:
        """The method of a request or notification."""
        method = self.single.get("method")
        return method if isinstance(method, str) else ""

    @property
    def params(self) -> Mapping[str, Any]:
        """The params, if they are an object."""
        params = self.single.get("params")
        return params if isinstance(params, dict) else {}

    @property
    def ids(self) -> list[Id]:
        """The ids that wait for an answer."""
        parts = self.content if isinstance(self.content, list) else [self.content]
        return [
            part["id"]
            for part in parts
            if isinstance(part, dict) and "method" in part and isinstance(part.get("id"), str | int | float)
        ]

    @property
    def version(self) -> str | None:
        """The protocol version that the message itself names, as those since 2026-07-28 do."""
        meta = self.params.get("_meta")
        version = meta.get(VERSION_FIELD) if isinstance(meta, dict) else None
        return version if isinstance(version, str) else None

    @property
    def cancels(self) -> Id | None:
        """The request that a `notifications/cancelled` calls off."""
        found = self.params.get("requestId") if self.method == "notifications/cancelled" else None
        return found if isinstance(found, str | int | float) else None

    def headers(self, negotiated: str | None) -> dict[str, str]:
        """The headers that go with it; `negotiated` is the version that an `initialize` settled."""
        if self.version is None:
            known = negotiated is not None and self.method != "initialize"
            return {"MCP-Protocol-Version": header_value(negotiated or "")} if known else {}
        headers = {"MCP-Protocol-Version": header_value(self.version)}
        if self.method:
            headers["Mcp-Method"] = header_value(self.method)
        name = self.params.get(NAMED_BY.get(self.method, ""))
        if isinstance(name, str):
            headers["Mcp-Name"] = header_value(name)
        return headers


def header_value(text: str) -> str:
    """`text` as a header can carry it: in base64 with a mark, where it is not plain ASCII."""
    if _PLAIN.fullmatch(text) and not _ENCODED.fullmatch(text):
        return text
    encoded = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")
    return f"=?base64?{encoded}?="


def answers(message: Any, ids: list[Id]) -> list[Id]:
    """Which of the ids a message from the server answers."""
    parts = message if isinstance(message, list) else [message]
    given = [
        part["id"]
        for part in parts
        if isinstance(part, dict) and "id" in part and ("result" in part or "error" in part)
    ]
    return [wanted for wanted in ids if any(type(one) is type(wanted) and one == wanted for one in given)]


def error(request_id: Id | None, code: int, message: str, data: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A JSON-RPC error."""
    fault: dict[str, Any] = {"code": code, "message": message}
    if data:
        fault["data"] = dict(data)
    return {"jsonrpc": "2.0", "id": request_id, "error": fault}


def line(message: Any) -> bytes:
    """A message on one line; ASCII, since a lone surrogate could not be written otherwise."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
