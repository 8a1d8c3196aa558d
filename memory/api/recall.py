"""`/recall`."""

from dataclasses import replace

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.parsing import body
from memory.api.views import ScopedView
from memory.engine.filters import And, AnyOf, Filter, Range, parse_filters
from memory.engine.language_model import Message
from memory.engine.types import View
from memory.services.questions import Help
from memory.services.recall import recall
from memory.shapes import render
from memory.shapes.answers import RecallResponse
from memory.shapes.ranking import ALL_OFF
from memory.shapes.requests import RecallRequest, instant
from tenants.scope import Right


def _filters(given: RecallRequest) -> Filter | None:
    parts: list[Filter] = [own] if (own := parse_filters(given.filters)) else []
    if given.namespaces is not None:
        parts.append(AnyOf("namespace", tuple(given.namespaces)))
    if given.since or given.until:
        parts.append(Range("timestamp", gte=instant(given.since), lt=instant(given.until)))
    if len(parts) < 2:
        return parts[0] if parts else None
    return And(tuple(parts))


def _notes(given: RecallRequest) -> list[str]:
    """What is accepted for the seed's clients but does nothing here yet."""
    return ["retry_on_weak:not_available"] if given.retry_on_weak is not None else []


class RecallView(ScopedView):
    """Recall."""

    rights = {"POST": Right.READ}

    @extend_schema(operation_id="recall", request=RecallRequest, responses=RecallResponse, tags=["recall"])
    def post(self, request: Request) -> Response:
        """What the memories say about `query`, best first."""
        given = body(request, RecallRequest)
        as_of = instant(given.as_of)
        answer = recall(
            self.scope,
            query=given.query,
            limit=given.limit,
            filters=_filters(given),
            view=View(
                valid_at=as_of,
                include_invalidated=given.include_invalidated,
                ignore_invalidation=as_of is not None,
            ),
            token_budget=given.token_budget,
            include_trace=given.include_trace,
            mode=given.mode,
            overrides=given.overrides
            if given.full_pipeline
            else replace(given.overrides, stages=ALL_OFF, rerank="off"),
            wanted=Help([Message(turn.role, turn.text) for turn in given.history], given.expand, given.hyde),
        )
        answer.notes.extend(_notes(given))
        return Response(render.recalled(given.query, answer, trace=given.include_trace))
