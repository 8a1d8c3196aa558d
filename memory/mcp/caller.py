"""Who asks over MCP: what the door found out, handed to the handlers with the request."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loci.ground.context import RequestFacts, trace_of
from memory.tools.registry import Tool
from tenants.scope import Scope

IN_SCOPE = "loci.caller"
"""Where the ASGI scope holds the `Caller`."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The scope of the key, the tools of the toolset asked for that it has the right for, and facts for the audit."""

    scope: Scope
    tools: Mapping[str, Tool]
    facts: RequestFacts

    def traced(self, meta: Any) -> RequestFacts:
        """The facts with the trace of a message's `_meta.traceparent`, which wins over the header."""
        given = meta.get("traceparent") if isinstance(meta, Mapping) else None
        trace = trace_of(given) if isinstance(given, str) else ""
        return RequestFacts(self.facts.request_id, trace, self.facts.address) if trace else self.facts
