"""What the scenarios of the conformance suite call: its tools, prompts and resources, by the names that it expects.

`register` adds them to any server of the official SDK. None of it is part of Loci.
"""

from typing import Any

import mcp_types as types
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.prompts import Prompt

from tests.mcp.scenery import channel, questions, reading, tools

GRANTED: dict[str, type[types.RequestParams]] = {
    "logging/setLevel": types.SetLevelRequestParams,
    "resources/subscribe": types.SubscribeRequestParams,
    "resources/unsubscribe": types.UnsubscribeRequestParams,
}
"""What clients up to 2025-11-25 may ask for, and a server without a channel to them can only say yes to."""


def register(server: MCPServer[Any]) -> None:
    """Add the fixtures of all scenarios to a server."""
    for tool in (*tools.TOOLS, *questions.TOOLS, *channel.TOOLS):
        server.add_tool(tool, structured_output=False)
    for prompt in (*reading.PROMPTS, *questions.PROMPTS):
        server.add_prompt(Prompt.from_function(prompt))
    for uri, (mime_type, read) in reading.RESOURCES.items():
        server.resource(uri, mime_type=mime_type)(read)
    server.completion()(_complete)
    for method, params in GRANTED.items():
        # MCPServer itself has no way to answer these
        server._lowlevel_server.add_request_handler(method, params, _grant)


async def _complete(ref: Any, argument: Any, context: Any) -> types.Completion:
    """Complete nothing: that it answers is what is asked of it."""
    return types.Completion(values=[], total=0, has_more=False)


async def _grant(ctx: Any, params: Any) -> types.EmptyResult:
    return types.EmptyResult()
