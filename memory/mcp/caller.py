"""Who asks over MCP: what the door found out, handed to the handlers with the request."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import Scope as AsgiScope

from loci.ground.context import RequestFacts
from loci.ground.ids import uuid7
from memory.tools.registry import Tool
from tenants.scope import Scope

IN_SCOPE = "loci.caller"
"""Where the ASGI scope holds the `Caller`."""
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class Caller:
    """The scope of the key, the tools of the toolset asked for that it has the right for, and facts for the audit."""

    scope: Scope
    tools: Mapping[str, Tool]
    facts: RequestFacts

    def traced(self, meta: Any) -> RequestFacts:
        """The facts with the trace of a message's `_meta.traceparent`, which wins over the header."""
        given = meta.get("traceparent") if isinstance(meta, Mapping) else None
        match = _TRACEPARENT.fullmatch(given) if isinstance(given, str) else None
        if match is None:
            return self.facts
        return RequestFacts(self.facts.request_id, match[1], self.facts.address)


def facts_of(asgi: AsgiScope, headers: Mapping[str, str]) -> RequestFacts:
    """The facts about an HTTP request: the caller's `X-Request-ID` when it is sane, else a new one."""
    given = headers.get("x-request-id", "")
    trace = _TRACEPARENT.fullmatch(headers.get("traceparent", ""))
    client = asgi.get("client")
    return RequestFacts(
        request_id=given if _SANE_ID.fullmatch(given) else str(uuid7()),
        trace_id=trace[1] if trace else "",
        address=client[0] if client else None,
    )
