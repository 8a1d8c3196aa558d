"""Tools that answer at once."""

import json
from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError

from tests.mcp.scenery.media import WAV, image, resource

Content = list[types.ContentBlock]


def test_simple_text() -> str:
    """Text."""
    return "This is a simple text response for testing."


def test_image_content() -> Content:
    """A picture."""
    return [image()]


def test_audio_content() -> Content:
    """A sound."""
    return [types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")]


def test_embedded_resource() -> Content:
    """A resource inside the answer."""
    return [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]


def test_multiple_content_types() -> Content:
    """Text, a picture and a resource."""
    data = json.dumps({"test": "data", "value": 123})
    return [
        types.TextContent(type="text", text="Multiple content types test:"),
        image(),
        resource("test://mixed-content-resource", "application/json", data),
    ]


def test_error_handling() -> str:
    """Always fails."""
    raise ToolError("This tool intentionally returns an error for testing")


async def test_tool_with_progress(ctx: Context) -> str:
    """Reports progress in three steps."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100)
    return "Done."


async def test_tool_with_logging(ctx: Context) -> str:
    """Sends three log messages with its answer."""
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        params = types.LoggingMessageNotificationParams(level="info", data=text)
        message = types.LoggingMessageNotification(params=params)
        await ctx.session.send_notification(message, related_request_id=ctx.request_id)
    return "Done."


def test_logging_tool() -> str:
    """Sends no log message: nobody asked for one."""
    return "Done."


def test_missing_capability(ctx: Context) -> str:
    """Needs a client that lets it sample."""
    if not (ctx.client_capabilities and ctx.client_capabilities.sampling):
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="The client did not declare sampling.",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return "Done."


async def test_trigger_tool_change(ctx: Context) -> str:
    """Says that the tools changed."""
    await ctx.notify_tools_changed()
    return "Done."


async def test_trigger_prompt_change(ctx: Context) -> str:
    """Says that the prompts changed."""
    await ctx.notify_prompts_changed()
    return "Done."


TOOLS: list[Callable[..., Any]] = [
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_error_handling,
    test_tool_with_progress,
    test_tool_with_logging,
    test_logging_tool,
    test_missing_capability,
    test_trigger_tool_change,
    test_trigger_prompt_change,
]
