"""The MCP server: what the official SDK asks of it, answered from the registry of tools."""

import time
from typing import Any

import mcp_types as types
import structlog
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from loci.ground.errors import LociError
from loci.ground.metrics import TOOL_SECONDS
from memory.api.status import VERSION
from memory.mcp import prompts, resources, results
from memory.mcp.caller import IN_SCOPE, Caller
from memory.mcp.threads import Threads
from memory.shapes import faults
from memory.tools.all import REGISTRY
from memory.tools.calling import call
from memory.tools.registry import Tool
from tenants.authentication import require
from tenants.scope import Right

log = structlog.get_logger(__name__)
Context = ServerRequestContext[Any, Any]
LISTS_MS = 300_000
"""How long a client may keep a list: it changes with a new release or another key only."""
RESOURCE_NOT_FOUND = -32002


def caller_of(ctx: Context) -> Caller:
    """Who asks; the door has seen to it that there is somebody."""
    assert ctx.request is not None
    caller = ctx.request.scope[IN_SCOPE]
    assert isinstance(caller, Caller)
    return caller


class Handlers:
    """The answers to the protocol's requests."""

    def __init__(self, threads: Threads) -> None:
        self.threads = threads

    async def list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """The tools of the set asked for that the key has the right for."""
        caller = caller_of(ctx)
        return types.ListToolsResult(tools=[declaration(tool) for tool in caller.tools.values()])

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """A tool's result; a fault that the model can mend is a result too."""
        caller = caller_of(ctx)
        tool = caller.tools.get(params.name)
        if tool is None:
            names = ", ".join(caller.tools) or "none"
            raise MCPError(
                types.INVALID_PARAMS, f"There is no tool '{params.name[:64]}' here. There are: {names}.",
            )  # fmt: skip
        facts = caller.traced(ctx.meta)

        def work() -> types.CallToolResult:
            return results.success(tool, call(tool, caller.scope, params.arguments, where="arguments"))

        began, outcome = time.perf_counter(), "ok"
        try:
            return await self.threads.run(facts, work, tenant=caller.scope.tenant)
        except Exception as error:
            known = faults.known(error)
            outcome = known.code
            if known.status >= 500 and not isinstance(error, LociError):
                log.exception("tool_failed", tool=tool.name, reason=type(error).__name__, request_id=facts.request_id)
            return results.failure(known, facts.request_id, seed=tool.seed)
        finally:
            TOOL_SECONDS.labels(tool.name, outcome).observe(time.perf_counter() - began)

    async def list_prompts(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """One."""
        return types.ListPromptsResult(prompts=prompts.listed())

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """A prompt by its name."""
        found = prompts.got(params.name)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no prompt '{params.name[:64]}': ask for {prompts.NAME}.")
        return found

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """None by name: memories are found by searching, then read by their template."""
        return types.ListResourcesResult(resources=[])

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """`memory://{id}`, for who may read."""
        caller = caller_of(ctx)
        found = resources.templates() if caller.scope.may(Right.READ) else []
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """One memory."""
        caller = caller_of(ctx)

        def work() -> types.ReadResourceResult:
            require(caller.scope, Right.READ)
            return resources.read(caller.scope, str(params.uri))

        return await self._guarded(ctx, work, uri=str(params.uri))

    async def _guarded(self, ctx: Context, work: Any, **about: str) -> Any:
        """`work()` in a thread; its faults as errors of the protocol, with `about` in their data."""
        caller = caller_of(ctx)
        facts = caller.traced(ctx.meta)
        try:
            return await self.threads.run(facts, work, tenant=caller.scope.tenant)
        except Exception as error:
            known = faults.known(error)
            if known.status >= 500 and not isinstance(error, LociError):
                log.exception("mcp_failed", method=ctx.method, reason=type(error).__name__)
            data = {**results.problem(known, facts.request_id), **about}
            raise MCPError(_code(ctx, known), results.message(known), data) from None


def _code(ctx: Context, error: LociError) -> int:
    if error.status == 404:
        # since 2026-07-28 a resource that is not there is a parameter that is wrong
        return types.INVALID_PARAMS if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else RESOURCE_NOT_FOUND
    return types.INVALID_PARAMS if error.status in (400, 422) else types.INTERNAL_ERROR


def declaration(tool: Tool) -> types.Tool:
    """A tool as MCP lists it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def _input_schema(name: str) -> dict[str, Any] | None:
    tool = REGISTRY.tools.get(name)
    return tool.input_schema if tool else None


def build(threads: Threads) -> Server[Any]:
    """A server for one event loop."""
    handlers = Handlers(threads)
    lists = CacheHint(ttl_ms=LISTS_MS, scope="private")
    return Server(
        "loci",
        title="Loci",
        version=VERSION,
        description="Long-term memory for agents.",
        instructions=prompts.INSTRUCTIONS,
        cache_hints={
            "tools/list": lists,
            "prompts/list": lists,
            "resources/list": lists,
            "resources/templates/list": lists,
            "server/discover": lists,
        },
        get_tool_input_schema=_input_schema,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )
