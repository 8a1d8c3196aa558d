"""`/`, `/health`, `/status`."""

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api.views import ScopedView
from memory.services.models import model_label
from memory.services.status import backlog, embedder_label, tenant_status
from memory.shapes.answers import HealthResponse, RootResponse, StatusResponse
from tenants.scope import Right

try:
    VERSION = version("loci")
except PackageNotFoundError:
    VERSION = "0.1.0"


class PublicView(APIView):
    """Open to everybody: says nothing about any tenant."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]


class UnknownView(PublicView):
    """Whatever else lies below `/api/`: not found, in the form of all other faults."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Whichever the method."""
        raise Http404


class RootView(PublicView):
    """What this is."""

    @extend_schema(operation_id="root", responses=RootResponse, tags=["status"], auth=[])
    def get(self, request: Request) -> Response:
        """Name, version and where the documentation is."""
        return Response({"name": "loci", "version": VERSION, "docs": "/api/v1/docs"})


class HealthView(PublicView):
    """Whether the parts answer, in the seed's words: `qdrant` stands for the vector index, `memgraph` for the graph."""

    @extend_schema(operation_id="health", responses=HealthResponse, tags=["status"], auth=[])
    def get(self, request: Request) -> Response:
        """`ok`, or `degraded` when the database does not answer."""
        try:
            backlog()
            up = True
        except (DatabaseError, InterfaceError):
            up = False
        return Response(
            {
                "status": "ok" if up else "degraded",
                "version": VERSION,
                "provider": settings.EMBEDDER,
                "collection": "loci",
                "qdrant": up,
                "memgraph": False,
            }
        )


class StatusView(ScopedView):
    """How the tenant stands."""

    rights = {"GET": Right.READ}

    @extend_schema(operation_id="status", responses=StatusResponse, tags=["status"])
    def get(self, request: Request) -> Response:
        """The server's parts, and the tenant's memories, limit and index lag.

        `recall_calls` and `degraded_events` are the seed's; they would tell of other tenants, so operators read them
        from `/metrics`.
        """
        return Response(
            {
                "version": VERSION,
                "provider": settings.EMBEDDER,
                "llm": model_label(self.scope),
                "collection": "loci",
                "qdrant_url": None,
                "qdrant": True,
                "embedding": embedder_label(),
                "memgraph": False,
                "recall_calls": None,
                "degraded_events": None,
                "tenant": tenant_status(self.scope),
            }
        )
