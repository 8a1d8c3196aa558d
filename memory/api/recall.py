"""`/recall` and `/recall/why`."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.parsing import body
from memory.api.views import ScopedView
from memory.engine.clauses import together
from memory.engine.language_model import Message
from memory.services.questions import Help
from memory.services.recall import recall
from memory.services.why import why
from memory.shapes import render
from memory.shapes.answers import RecallResponse, WhyResponse
from memory.shapes.ranking import DETAILS
from memory.shapes.requests import RecallRequest, WhyRequest
from tenants.scope import Right


def _common(given: RecallRequest) -> dict[str, Any]:
    """What a recall and the question why take alike."""
    return {
        "query": given.query,
        "limit": given.limit,
        "view": given.view,
        "token_budget": given.token_budget,
        "mode": given.mode,
        "overrides": given.ways,
        "wanted": Help([Message(turn.role, turn.text) for turn in given.history], given.expand, given.hyde),
        "radius": given.neighbor_radius if given.include_neighbors else 0,
        "length": DETAILS[given.detail],
    }


class RecallView(ScopedView):
    """Recall."""

    rights = {"POST": Right.READ}

    @extend_schema(operation_id="recall", request=RecallRequest, responses=RecallResponse, tags=["recall"])
    def post(self, request: Request) -> Response:
        """What the memories say about `query`, best first."""
        given = body(request, RecallRequest)
        answer = recall(
            self.scope,
            **_common(given),
            filters=together(given.clauses),
            include_trace=given.include_trace,
            retry_on_weak=bool(given.retry_on_weak),
        )
        return Response(render.recalled(given.query, answer, trace=given.include_trace, length=DETAILS[given.detail]))


class WhyView(ScopedView):
    """Why a memory did or did not come."""

    rights = {"POST": Right.READ}

    @extend_schema(operation_id="why", request=WhyRequest, responses=WhyResponse, tags=["recall"])
    def post(self, request: Request) -> Response:
        """What becomes of the memory `memory_id` in this recall."""
        given = body(request, WhyRequest)
        return Response(render.why(why(self.scope, memory=given.memory_id, clauses=given.clauses, **_common(given))))
