"""Tools that ask the client something in the middle of a call, as protocols up to 2025-11-25 have it.

That needs a session that one process keeps. A server without sessions fails these calls, and nothing else.
"""

from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server.mcpserver import Context

Schema = dict[str, Any]

DEFAULTS: Schema = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}


def _titled(*choices: tuple[str, str]) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in choices]


ENUMS: Schema = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": _titled(("value1", "First Option"), ("value2", "Second Option"))},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": _titled(("value1", "First Choice"), ("value2", "Second"))}},
}


async def _elicited(ctx: Context, message: str, properties: Schema, required: list[str] | None = None) -> str:
    schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return f"action={answer.action}, content={answer.content}"


async def test_sampling(prompt: str, ctx: Context) -> str:
    """Asks the client's model."""
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=prompt))
    params = types.CreateMessageRequestParams(messages=[message], max_tokens=100)
    answer = await ctx.session.send_request(types.CreateMessageRequest(params=params), types.CreateMessageResult)
    return f"LLM response: {answer.content}"


async def test_elicitation(message: str, ctx: Context) -> str:
    """Asks the client's user."""
    fields = {"username": {"type": "string"}, "email": {"type": "string"}}
    return "User response: " + await _elicited(ctx, message, fields, ["username", "email"])


async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
    """Asks with answers proposed."""
    return "Elicitation completed: " + await _elicited(ctx, "Please check", DEFAULTS)


async def test_elicitation_sep1330_enums(ctx: Context) -> str:
    """Asks for a choice."""
    return "Elicitation completed: " + await _elicited(ctx, "Please choose", ENUMS)


TOOLS: list[Callable[..., Any]] = [
    test_sampling,
    test_elicitation,
    test_elicitation_sep1034_defaults,
    test_elicitation_sep1330_enums,
]
