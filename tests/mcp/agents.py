"""Agents: the official client in either era, and single messages by hand."""

import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.cast import Caller
from tests.servers.aside import aside

LEGACY, MODERN = "2025-11-25", "2026-07-28"
ERAS = ("legacy", MODERN)
_numbers = itertools.count(1)
EVERY = "?tools=all,mnemostack"
T = TypeVar("T")


@asynccontextmanager
async def connected(
    base_url: str, caller: Caller, era: str = "auto", tools: str | None = None
) -> AsyncIterator[Client]:
    """The official client, signed in with a service key."""
    url = f"{base_url}/mcp" + (f"?tools={tools}" if tools else "")
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {caller.key}"}, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        yield client


def as_agent(
    base_url: str,
    caller: Caller,
    work: Callable[[Client], Awaitable[T]],
    *,
    era: str = "auto",
    tools: str | None = None,
) -> T:
    """What `work` makes of a connected client."""

    async def run() -> T:
        async with connected(base_url, caller, era, tools) as client:
            return await work(client)

    return aside(run)


def message(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    """A request of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": next(_numbers), "method": method, "params": params or {}}


def post(
    plain: httpx2.Client, key: str | None, body: Any, *, query: str = "", version: str | None = LEGACY, **headers: str
) -> httpx2.Response:
    """A message by hand, as a client of the handshake era sends it."""
    sent = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        **({"X-API-Key": key} if key else {}),
        **({"MCP-Protocol-Version": version} if version else {}),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return plain.post(f"/mcp{query}", content=data, headers=sent)


def answer(response: httpx2.Response) -> dict[str, Any]:
    """The JSON-RPC answer, sent plainly or as an event."""
    if response.headers["content-type"].startswith("text/event-stream"):
        (data,) = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
        found: dict[str, Any] = json.loads(data)
        return found
    plainly: dict[str, Any] = response.json()
    return plainly


def called(plain: httpx2.Client, caller: Caller, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The result of a tool call."""
    response = post(plain, caller.key, message("tools/call", {"name": tool, "arguments": arguments}), query=EVERY)
    assert response.status_code == 200, response.text
    reply = answer(response)
    assert "result" in reply, reply
    found: dict[str, Any] = reply["result"]
    return found
