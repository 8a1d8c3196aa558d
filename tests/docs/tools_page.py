"""Writes docs/tools.md from the registry: `python -m tests.docs.tools_page`, with the tests' settings."""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from memory.tools.registry import Tool

HEAD = """# Tools for agents

Every tool is described once, in `memory/tools/`, and offered in three ways: over MCP at `/mcp` ([mcp.md](mcp.md)), as
`POST /api/v1/tools/{name}` with the arguments as JSON, and as declarations for a model provider's API:
`GET /api/v1/tools?format=openai`, `anthropic` or `gemini`. All three take the same arguments, give the same results and
the same errors, and count against the same rate and quotas.

```sh
curl -sS http://127.0.0.1:8000/api/v1/tools/memory_search -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '{"query": "how does Dana want summaries sent?", "limit": 3}'
```

A key is shown only the tools that it has the right for. Arguments are taken as models send them: a null is an argument
not given, a number may come as text, a list or an object as its JSON text; an unknown argument is a fault. A date-time
needs an offset; a bare date is midnight UTC.

This page is written from the code; a test compares them.

## Loci's tools
"""
SEED = """## The seed's own tools

For agents that were written for mnemostack: `/mcp?tools=mnemostack`. The same services under the seed's names, with its
arguments and answers.
"""


def page(tools: Mapping[str, Tool]) -> str:
    """The whole page."""
    parts = [HEAD]
    seed = False
    for tool in tools.values():
        if tool.seed and not seed:
            seed = True
            parts.append(SEED)
        parts.append("\n".join(_section(tool)))
    return "\n".join(parts)


def _section(tool: Tool) -> Iterator[str]:
    yield f"### `{tool.name}`\n"
    yield from wrap(tool.description, 120)
    manner = [("reads only", tool.read_only), ("destructive", tool.destructive)]
    manner += [("can be repeated without harm", tool.idempotent and not tool.read_only)]
    said = ", ".join(words for words, holds in manner if holds)
    yield f"\nRight: `{tool.right}`. {said.capitalize()}.\n"
    properties = tool.input_schema["properties"]
    if properties:
        yield "| argument | | what | default |"
        yield "|---|---|---|---|"
        for name, schema in properties.items():
            default = f"`{schema['default']}`".lower() if "default" in schema else "–"
            if name in tool.input_schema.get("required", ()):
                default = "needed"
            yield f"| `{name}` | {_kind(schema)} | {schema.get('description', '')} | {default} |"
        yield ""


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        values = schema["enum"]
        return " ".join(f"`{value}`" for value in values) if len(values) < 6 else "a kind"
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_many(schema['items'])}"
    if kind == "string":
        return "id" if schema.get("format") == "uuid" else "text"
    if kind == "integer" and "maximum" in schema and schema["maximum"] < 2**50:
        return f"{schema['minimum']} to {schema['maximum']:,}"
    return {"boolean": "true or false", "integer": "whole number"}.get(kind, kind)


def _many(schema: Mapping[str, Any]) -> str:
    if schema.get("type") == "object":
        return "objects with " + ", ".join(f"`{name}`" for name in schema["properties"])
    if schema.get("format") == "uuid":
        return "ids"
    return "kinds" if "enum" in schema else "texts"


if __name__ == "__main__":
    import django

    django.setup()
    from memory.tools.all import REGISTRY

    print(page(REGISTRY.tools), end="")
