"""`/mcp`: POST only, the right host and origin, a key that holds; then the SDK. Nothing is shared between requests."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import anyio
import structlog
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Send
from starlette.types import Scope as AsgiScope

from billing import rates
from loci.ground.context import RequestFacts, facts_of
from loci.ground.errors import Forbidden, LociError
from loci.ground.metrics import REQUEST_SECONDS
from memory.mcp import results
from memory.mcp.bodies import MAX_BODY, SMALL_BODY, Gone, Refused, beginning, id_of, parsed, refusal, replay, whole
from memory.mcp.caller import IN_SCOPE, Caller
from memory.mcp.server import build
from memory.mcp.threads import Threads
from memory.shapes import faults
from memory.tools.all import REGISTRY
from tenants.authentication import key_in_headers, scope_of_key
from tenants.scope import Right, Scope

log = structlog.get_logger(__name__)
PATH = "/mcp"
AUTHENTICATORS = 4
"""Threads that look up keys: apart from those of the calls, so that full queues do not keep others out."""
INVALID_REQUEST = -32600


class McpDoor:
    """The ASGI application below `/mcp`. One for each event loop; `running` must be entered before the first request.

    `make` builds the server; another one than ours is for those who embed it.
    """

    def __init__(self, make: Callable[[Threads], Server[Any]] = build) -> None:
        self._make = make
        self._authenticators: Threads | None = None
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve until left."""
        self._authenticators = Threads(AUTHENTICATORS)
        self._manager = StreamableHTTPSessionManager(
            self._make(Threads(settings.MCP_THREADS)),
            stateless=True,
            json_response=False,
            max_request_body_size=MAX_BODY,
        )
        async with self._manager.run():
            yield

    async def __call__(self, asgi: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        asgi = _trimmed(asgi)
        headers = Headers(scope=asgi)
        client = asgi.get("client")
        facts = facts_of(_joined(asgi), client[0] if client else None, behind_proxy=settings.BEHIND_PROXY)
        began, status = time.perf_counter(), 499

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", facts.request_id.encode())]
            await send(message)

        body = b""
        try:
            _check_envelope(asgi, headers)
            try:
                caller = await self._caller(asgi, headers, facts)
            except LociError as error:
                body = await beginning(receive)
                raise _challenged(error) from None
            body = await whole(receive, MAX_BODY, headers)
            await _check_right(caller.scope, body)
            assert self._manager is not None
            await self._manager.handle_request({**asgi, IN_SCOPE: caller}, replay(body, receive), sending)
        except Refused as refused:
            await _answer(refused.error, body, facts.request_id)(asgi, receive, sending)
        except Gone:
            log.debug("mcp_client_gone")
        except Exception as error:
            log.exception("mcp_failed", reason=type(error).__name__, request_id=facts.request_id)
            if status == 499:  # nothing was sent yet
                await _answer(faults.known(error), b"", facts.request_id)(asgi, receive, sending)
        finally:
            method = asgi["method"] if asgi["method"] == "POST" else "OTHER"
            REQUEST_SECONDS.labels(method, "mcp", status).observe(time.perf_counter() - began)

    async def _caller(self, asgi: AsgiScope, headers: Headers, facts: RequestFacts) -> Caller:
        """Who asks, and for which tools; the message counted against the tenant's rate."""
        chosen = _chosen_tools(asgi)
        assert self._authenticators is not None

        def authenticate() -> Scope:
            scope = scope_of_key(key_in_headers(headers))
            rates.take(scope)
            return scope

        try:
            scope: Scope = await self._authenticators.run(facts, authenticate)
        except LociError:
            raise
        except Exception as error:
            log.exception("mcp_authentication_failed", reason=type(error).__name__)
            raise faults.known(error) from None
        tools = REGISTRY.toolset(scope, chosen)
        return Caller(scope, {tool.name: tool for tool in tools}, facts)


def _trimmed(asgi: AsgiScope) -> AsgiScope:
    """The request without the blanks after its headers' values, which the server's parser leaves there."""
    return {**asgi, "headers": [(name, value.strip(b" \t")) for name, value in asgi["headers"]]}


def _joined(asgi: AsgiScope) -> dict[str, str]:
    """The headers, the values of those that stand there several times with commas between."""
    found: dict[str, str] = {}
    for raw_name, raw_value in asgi["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _check_envelope(asgi: AsgiScope, headers: Headers) -> None:
    """What can be refused without looking at the key."""
    if asgi["method"] != "POST":
        raise refusal(
            405, "method_not_allowed", "Send POST: this endpoint keeps no sessions and no streams.", Allow="POST"
        )
    host, _ = split_domain_port(headers.get("host", ""))
    if not host or not validate_host(host, settings.ALLOWED_HOSTS):
        raise refusal(421, "wrong_host", "This host name is not served here: see ALLOWED_HOSTS.")
    origin = headers.get("origin")
    if origin and not _own_origin(origin, headers.get("host", "")):
        raise refusal(403, "foreign_origin", "Pages of another origin may not call this: see MCP_ALLOWED_ORIGINS.")


def _own_origin(origin: str, host: str) -> bool:
    """Whether a page of ours asks, or of an origin that is allowed; keeps pages elsewhere from using a local server."""
    if origin in settings.MCP_ALLOWED_ORIGINS or origin == settings.PUBLIC_URL:
        return True
    try:
        return urlsplit(origin).netloc == host
    except ValueError:
        return False


def _chosen_tools(asgi: AsgiScope) -> str | None:
    """`?tools=`, the only parameter."""
    try:
        pairs = dict(parse_qsl(asgi["query_string"].decode("ascii"), keep_blank_values=True, max_num_fields=10))
    except ValueError:
        pairs = {}
    return pairs.get("tools") or None


async def _check_right(scope: Scope, body: bytes) -> None:
    """403 for a tool or resource that the key has no right for, so that a client can ask for more. Only the message of
    a key that lacks one of the two rights is worth reading twice."""
    if scope.may(Right.READ) and scope.may(Right.WRITE):
        return
    message = parsed(body) if len(body) <= SMALL_BODY else await anyio.to_thread.run_sync(parsed, body)
    right = _right_for(message)
    if right and not scope.may(right):
        raise _challenged(Forbidden(f"key lacks '{right}' scope", code="insufficient_scope", required_scope=str(right)))


def _right_for(message: dict[str, Any]) -> Right | None:
    """What a message asks for; None where any key will do, or where there is no such tool."""
    if message.get("method") == "resources/read":
        return Right.READ
    params = message.get("params")
    name = params.get("name") if message.get("method") == "tools/call" and isinstance(params, dict) else None
    tool = REGISTRY.tools.get(name) if isinstance(name, str) else None
    return tool.right if tool else None


def _challenged(error: LociError) -> Refused:
    """`error` with what a client needs in order to do better (RFC 6750, RFC 9728)."""
    if error.status not in (401, 403):
        return Refused(error)
    parts = ['Bearer realm="loci"']
    if error.status == 401 and error.code != "missing_key":
        parts.append('error="invalid_token"')
    if error.status == 403:
        parts += ['error="insufficient_scope"', f'scope="{error.extra.get("required_scope", "")}"']
    parts.append(f'resource_metadata="{settings.PUBLIC_URL}/.well-known/oauth-protected-resource{PATH}"')
    error.headers = {**error.headers, "WWW-Authenticate": ", ".join(parts)}
    return Refused(error)


def _answer(error: LociError, body: bytes, request_id: str) -> JSONResponse:
    """The refusal as an error of JSON-RPC, with the id of the request: clients show no other body's text. A tool call
    that only has to wait is told so as a tool's result, which the model gets to read."""
    message = parsed(body) if len(body) <= SMALL_BODY else {}
    number = id_of(message)
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
    if error.status == 429 and message.get("method") == "tools/call" and number is not None:
        told = results.failure(error, request_id)
        return JSONResponse({**answer, "result": told.model_dump(mode="json", by_alias=True, exclude_none=True)})
    answer["error"] = {
        "code": INVALID_REQUEST,
        "message": results.message(error),
        "data": results.problem(error, request_id),
    }
    return JSONResponse(answer, status_code=error.status, headers=error.headers)
