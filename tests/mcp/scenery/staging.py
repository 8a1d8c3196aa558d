"""Loci's own MCP server with the scenery in it: its tools, prompts and resources stay, and the suite's join them."""

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.mcpserver import MCPServer

from memory.mcp.server import build
from memory.mcp.threads import Threads
from tests.mcp.scenery import register
from tests.mcp.scenery.reading import RESOURCES

Context = ServerRequestContext[Any, Any]
Handler = Callable[[Context, Any], Awaitable[Any]]
LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resource_templates",
}
OWN_ALONE = ("completion/complete", "logging/setLevel", "resources/subscribe", "resources/unsubscribe")


def staged(threads: Threads) -> Server[Any]:
    """A server for one event loop, in place of Loci's own."""
    server = build(threads)
    scenery: MCPServer[Any] = MCPServer("scenery", subscriptions=False)
    register(scenery)
    props = scenery._lowlevel_server
    for method, attribute in LISTS.items():
        _replace(server, method, _both(_handler(server, method), _handler(props, method), attribute))
    tools = {tool.name for tool in scenery._tool_manager.list_tools()}
    prompts = {prompt.name for prompt in scenery._prompt_manager.list_prompts()}
    for method, ours in (
        ("tools/call", lambda params: params.name in tools),
        ("prompts/get", lambda params: params.name in prompts),
        ("resources/read", lambda params: _is_scenery(str(params.uri))),
    ):
        _replace(server, method, _either(ours, _handler(props, method), _handler(server, method)))
    for method in OWN_ALONE:
        entry = props.get_request_handler(method)
        assert entry is not None
        server.add_request_handler(method, entry.params_type, entry.handler)
    # what seals the state that clients carry between two rounds of questions
    server.middleware.extend(props.middleware[1:])
    return server


def _handler(server: Server[Any], method: str) -> Handler:
    entry = server.get_request_handler(method)
    assert entry is not None
    return entry.handler


def _replace(server: Server[Any], method: str, handler: Handler) -> None:
    entry = server.get_request_handler(method)
    assert entry is not None
    server.add_request_handler(method, entry.params_type, handler)


def _both(first: Handler, second: Handler, attribute: str) -> Handler:
    """The lists of both, in this order."""

    async def listed(ctx: Context, params: types.PaginatedRequestParams) -> Any:
        answer = await first(ctx, params)
        more = getattr(await second(ctx, params), attribute)
        return answer.model_copy(update={attribute: [*getattr(answer, attribute), *more]})

    return listed


def _either(asked_for: Callable[[Any], bool], first: Handler, second: Handler) -> Handler:
    """The first for what is asked for there, else the second."""

    async def answered(ctx: Context, params: Any) -> Any:
        return await (first if asked_for(params) else second)(ctx, params)

    return answered


def _is_scenery(uri: str) -> bool:
    return uri in RESOURCES or uri.startswith("test://template/")
