"""Tools as the APIs of model providers want them declared."""

from collections.abc import Callable, Mapping
from typing import Any

from memory.tools.registry import Tool

GEMINI_WORDS = frozenset(
    ["type", "format", "description", "enum", "items", "properties", "required", "anyOf", "nullable",
     "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "default"]
)  # fmt: skip
"""What Gemini's schema language knows of JSON Schema; anything else makes it refuse the tool."""


def openai(tool: Tool) -> dict[str, Any]:
    """For chat completions: `tools=[…]`."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
    }


def anthropic(tool: Tool) -> dict[str, Any]:
    """For messages: `tools=[…]`."""
    return {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}


def gemini(tool: Tool) -> dict[str, Any]:
    """One of the `function_declarations` of a Gemini tool."""
    return {"name": tool.name, "description": tool.description, "parameters": _gemini(tool.input_schema)}


def _gemini(schema: Any, *, named: bool = False) -> Any:
    if isinstance(schema, list):
        return [_gemini(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {
        key: _gemini(value, named=not named and key == "properties")
        for key, value in schema.items()
        if named or key in GEMINI_WORDS
    }
    if not named and "enum" in found:  # of strings only
        found |= {"type": "string", "enum": [str(value) for value in found["enum"]]}
    if not named and found.get("format") not in (None, "date-time", "enum"):
        del found["format"]
    return found


FORMATS: Mapping[str, Callable[[Tool], dict[str, Any]]] = {"openai": openai, "anthropic": anthropic, "gemini": gemini}
