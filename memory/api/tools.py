"""`/tools`: the registry of tools for agents that speak HTTP: declared as their provider wants it, called by name."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.parsing import query
from memory.api.views import ScopedView
from memory.shapes.answers import ToolArguments, ToolList, ToolResult
from memory.shapes.requests import ToolsQuery
from memory.tools.all import REGISTRY
from memory.tools.calling import call
from memory.tools.providers import FORMATS
from tenants.scope import Right


class ToolsView(ScopedView):
    """The collection."""

    rights = {"GET": Right.READ}
    queried = frozenset({"GET"})

    @extend_schema(
        operation_id="list_tools",
        parameters=[
            OpenApiParameter(
                "format", str, enum=list(FORMATS), description="Whose tool declarations; openai if left out."
            ),
            OpenApiParameter("tools", str, description="core, all, mnemostack, or names with commas between."),
        ],
        responses=ToolList,
        tags=["tools"],
    )
    def get(self, request: Request) -> Response:
        """The tools that this key has the right for, as a model provider's API takes them."""
        given = query(request, ToolsQuery)
        render = FORMATS[given.format]
        return Response({"tools": [render(tool) for tool in REGISTRY.toolset(self.scope, given.tools or "all")]})


class ToolView(ScopedView):
    """One tool. What it asks for is the tool's own right; `read` for a tool that is not there."""

    rights = {"POST": Right.READ}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Ask for the tool's right instead of one for all."""
        if found := REGISTRY.tools.get(str(kwargs["tool"])):
            self.rights = {"POST": found.right}  # type: ignore[misc]
        super().initial(request, *args, **kwargs)

    @extend_schema(
        operation_id="call_tool",
        request=ToolArguments,
        responses=ToolResult,
        tags=["tools"],
    )
    def post(self, request: Request, tool: str) -> Response:
        """Call a tool; the key needs the tool's own right."""
        called = REGISTRY.get(tool)
        arguments: Any = request.data
        return Response(call(called, self.scope, arguments).model_dump(mode="json"))
