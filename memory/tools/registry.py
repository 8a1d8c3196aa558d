"""The tools of agents: each described once, rendered for MCP, for providers' APIs and in the documentation."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from pydantic import BaseModel

from loci.ground.errors import Fault, InvalidRequest, NotFound
from memory.tools.schemas import closed_schema, open_schema
from tenants.authentication import require
from tenants.scope import Right, Scope

A = TypeVar("A", bound=BaseModel)
CORE = ("memory_search", "memory_remember", "memory_forget", "memory_feedback")
"""What an agent needs every day: what `/mcp` lists unless it is asked for more."""
SEED = "mnemostack"
"""The toolset with the seed's own names and arguments."""


@dataclass(frozen=True)
class Tool:
    """One tool. `run` takes the scope and the parsed arguments; its result is an instance of `result`.

    `services` are the service functions that it opens to agents. `markdown` writes the result for a model to read.
    """

    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    result: type[BaseModel]
    right: Right
    run: Callable[[Scope, Any], BaseModel]
    markdown: Callable[[Any], str]
    services: tuple[Callable[..., Any], ...]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    seed: bool = False

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, without references, so that every provider takes it."""
        return closed_schema(self.arguments)

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the result. Open: a later version may tell more."""
        return open_schema(self.result)

    def call(self, scope: Scope, arguments: BaseModel) -> BaseModel:
        """The result for `scope`, which must hold the tool's right; raises what its service raises."""
        require(scope, self.right)
        return self.run(scope, arguments)


class Registry:
    """All tools by name, in the order in which they are listed."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    @property
    def tools(self) -> Mapping[str, Tool]:
        """By name."""
        return self._tools

    def get(self, name: str) -> Tool:
        """The tool `name`; `NotFound` names those that there are."""
        if name not in self._tools:
            names = ", ".join(tool.name for tool in self._tools.values() if not tool.seed)
            raise NotFound(f"There is no tool '{name[:64]}': choose from {names}.", code="unknown_tool")
        return self._tools[name]

    def toolset(self, scope: Scope, chosen: str | None) -> list[Tool]:
        """The tools of a set that `scope` has the right for.

        `chosen` is None or `core`, `all`, `mnemostack`, or names with commas between; an unknown one is a fault.
        """
        wanted = self._named(chosen or "core")
        return [tool for tool in wanted if scope.may(tool.right)]

    def _named(self, chosen: str) -> list[Tool]:
        sets: dict[str, list[Tool]] = {
            "core": [self._tools[name] for name in CORE],
            "all": [tool for tool in self._tools.values() if not tool.seed],
            SEED: [tool for tool in self._tools.values() if tool.seed],
        }
        picked: dict[str, Tool] = {}
        for part in dict.fromkeys(part.strip() for part in chosen.split(",")):
            if part in sets:
                picked |= {tool.name: tool for tool in sets[part]}
            elif part in self._tools:
                picked[part] = self._tools[part]
            else:
                known = ", ".join([*sets, *(tool.name for tool in sets["all"])])
                raise InvalidRequest([Fault(("query", "tools"), f"knows no '{part[:64]}': choose from {known}")])
        return [tool for name, tool in self._tools.items() if name in picked]
