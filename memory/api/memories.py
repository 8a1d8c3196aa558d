"""`/memories`: write, list, read, correct, erase; and `/invalidate`."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from loci.ground.errors import Fault, InvalidRequest
from memory.api.parsing import body, query
from memory.api.views import ScopedView
from memory.services.correct import correct
from memory.services.forget import erase, invalidate
from memory.services.lookup import get_memory, list_memories
from memory.services.prepare import check_metadata_keys
from memory.services.store import store
from memory.shapes import render
from memory.shapes.answers import (
    EraseResponse,
    InvalidateResponse,
    JobAccepted,
    ListResponse,
    MemoryResponse,
    WriteResponse,
)
from memory.shapes.items import items_of
from memory.shapes.requests import CorrectRequest, InvalidateRequest, ListQuery, Selection, WriteRequest, instant
from tenants import idempotency
from tenants.scope import Right

IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="The same key and body give the first answer again."
)


class MemoriesView(ScopedView):
    """The collection."""

    rights = {"POST": Right.WRITE, "GET": Right.READ, "DELETE": Right.WRITE}
    queried = frozenset({"GET"})

    @extend_schema(
        operation_id="write_memories",
        request=WriteRequest,
        responses={200: WriteResponse, 202: JobAccepted},
        parameters=[IDEMPOTENCY],
        tags=["memories"],
    )
    def post(self, request: Request) -> Response:
        """Remember up to 64 items at once, or up to 1,000 as a job."""
        given = body(request, WriteRequest)
        (status, answer), replayed = idempotency.once(
            self.scope,
            request.headers.get("Idempotency-Key"),
            route="POST memories",
            body=request.data,
            act=lambda: render.written(store(self.scope, items=items_of(given))),
        )
        headers = {"Idempotency-Replayed": "true"} if replayed else None
        return Response(answer, status=status, headers=headers)

    @extend_schema(
        operation_id="list_memories",
        parameters=[
            OpenApiParameter("source", str, required=True),
            OpenApiParameter("after", str, description="The last id of the page before."),
            OpenApiParameter("limit", int, description="1 to 500."),
            OpenApiParameter("index_root", str),
        ],
        responses=ListResponse,
        tags=["memories"],
    )
    def get(self, request: Request) -> Response:
        """The ids of one source, with what shows whether they are current; no text."""
        given = query(request, ListQuery)
        page = list_memories(
            self.scope, source=given.source, after=given.after, limit=given.limit, index_root=given.index_root
        )
        items = [
            {
                "id": str(record.id),
                "content_hash": record.payload["content_hash"],
                "timestamp": record.payload["timestamp"],
                "indexed_at": record.payload["indexed_at"],
            }
            for record in page.records
        ]
        return Response({"items": items, "complete": page.complete})

    @extend_schema(operation_id="erase_memories", request=Selection, responses={200: EraseResponse}, tags=["memories"])
    def delete(self, request: Request) -> Response:
        """Erase by ids or by source, for good."""
        given = body(request, Selection)
        gone = erase(self.scope, ids=given.ids, source=given.source, index_root=given.index_root)
        return Response({"requested": gone.requested, "deleted": gone.changed, "complete": gone.complete})


class MemoryView(ScopedView):
    """One memory."""

    rights = {"GET": Right.READ, "PATCH": Right.WRITE}

    @extend_schema(operation_id="get_memory", responses=MemoryResponse, tags=["memories"])
    def get(self, request: Request, memory_id: UUID) -> Response:
        """A memory with everything about it; `ETag` names its version."""
        record = get_memory(self.scope, memory_id)
        return Response(render.memory(record), headers={"ETag": f'"{record.version}"'})

    @extend_schema(
        operation_id="correct_memory",
        request=CorrectRequest,
        responses=MemoryResponse,
        parameters=[OpenApiParameter("If-Match", str, OpenApiParameter.HEADER)],
        tags=["memories"],
    )
    def patch(self, request: Request, memory_id: UUID) -> Response:
        """Correct text, metadata or tags: a new version. `If-Match` guards against a change in between."""
        given = body(request, CorrectRequest)
        if given.metadata:
            check_metadata_keys(None, given.metadata)
        record = correct(
            self.scope,
            memory_id,
            text=given.text,
            metadata=given.metadata,
            tags=given.tags,
            expected_version=_if_match(request),
        )
        return Response(render.memory(record), headers={"ETag": f'"{record.version}"'})


def _if_match(request: Request) -> UUID | None:
    given = request.headers.get("If-Match", "*").strip().strip('"')
    if given == "*":
        return None
    try:
        return UUID(given)
    except ValueError:
        raise InvalidRequest([Fault(("header", "If-Match"), "is no ETag of a memory")]) from None


class InvalidateView(ScopedView):
    """Retraction."""

    rights = {"POST": Right.WRITE}

    @extend_schema(
        operation_id="invalidate_memories", request=InvalidateRequest, responses=InvalidateResponse, tags=["memories"]
    )
    def post(self, request: Request) -> Response:
        """Hide memories from recall, by ids or by source; sending their content again restores them."""
        given = body(request, InvalidateRequest)
        done = invalidate(
            self.scope,
            ids=given.ids,
            source=given.source,
            invalidated_at=instant(given.invalidated_at),
            valid_until=instant(given.valid_until),
            index_root=given.index_root,
        )
        return Response({"requested": done.requested, "invalidated": done.changed, "complete": done.complete})
