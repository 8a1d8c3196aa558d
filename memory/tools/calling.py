"""A call by name: arguments checked, the tool run; the same for every door."""

from typing import Any

from pydantic import BaseModel

from memory.shapes.checks import check_values, validated
from memory.tools.registry import Tool
from tenants.authentication import require
from tenants.scope import Scope

MOST_VALUES = 100_000
"""Values that arguments may hold in all: a thousand items need a third of that."""


def call(tool: Tool, scope: Scope, arguments: Any, *, where: str = "body") -> BaseModel:
    """The result of `tool` for `scope`. The right is asked for before the arguments are looked at; faults in these
    are an `InvalidRequest` whose paths lie below `where`. Numbers may come as text, as models send them."""
    require(scope, tool.right)
    given = {} if arguments is None else arguments
    check_values(given, most=MOST_VALUES)
    return tool.call(scope, validated(tool.arguments, given, where, strict=False))
