"""The resource `memory://{id}`: one memory, as text for a model and as JSON."""

import re
from uuid import UUID

import mcp_types as types

from loci.ground.errors import NotFound
from memory.services.lookup import get_memory
from memory.shapes import render
from memory.tools import markdown
from tenants.scope import Scope

TEMPLATE = "memory://{id}"
_URI = re.compile(r"memory://(?P<id>[0-9a-fA-F-]{36})/?")


def templates() -> list[types.ResourceTemplate]:
    """The kinds of resources there are."""
    return [
        types.ResourceTemplate(
            uri_template=TEMPLATE,
            name="memory",
            title="A memory",
            description="One memory in full by its id, its text fenced as data.",
            mime_type="text/markdown",
        )
    ]


def read(scope: Scope, uri: str) -> types.ReadResourceResult:
    """The memory that `uri` names; `NotFound` when there is none within reach, or the address is another."""
    match = _URI.fullmatch(uri)
    try:
        memory = UUID(match["id"]) if match else None
    except ValueError:
        memory = None
    if memory is None:
        raise NotFound(f"There is no such resource: write {TEMPLATE}, with the id that memory_search gives.")
    document = render.memory(get_memory(scope, memory))
    text = f"{markdown.DATA}\n\n{markdown.item(1, document)}"
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]
    )
