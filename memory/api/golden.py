"""`/golden-questions` and `/golden-runs`."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.memories import IDEMPOTENCY
from memory.api.parsing import body, query
from memory.api.views import ScopedView
from memory.models import Job
from memory.services.evaluate import get_run, list_runs
from memory.services.golden import add_questions, list_questions, remove_questions
from memory.services.measure import start_run
from memory.shapes import render
from memory.shapes.answers import JobAccepted
from memory.shapes.golden import (
    GoldenAdded,
    GoldenPage,
    GoldenQuery,
    GoldenRemoval,
    GoldenRemoved,
    GoldenRequest,
    RankedRunResponse,
    RunList,
    RunRequest,
    RunsQuery,
    question_json,
    run_json,
)
from tenants import idempotency
from tenants.scope import Right

PAGING = [OpenApiParameter("limit", int), OpenApiParameter("before", str, description="`next` of the page before.")]


class GoldenQuestionsView(ScopedView):
    """Golden questions."""

    rights = {"GET": Right.READ, "POST": Right.WRITE, "DELETE": Right.WRITE}
    queried = frozenset({"GET"})

    @extend_schema(operation_id="list_golden_questions", parameters=PAGING, responses=GoldenPage, tags=["quality"])
    def get(self, request: Request) -> Response:
        """The questions, newest first."""
        given = query(request, GoldenQuery)
        page = list_questions(self.scope, limit=given.limit, before=given.before)
        return Response({"items": [question_json(one) for one in page.questions], "next": _text(page.next_before)})

    @extend_schema(
        operation_id="add_golden_questions", request=GoldenRequest, responses={200: GoldenAdded}, tags=["quality"]
    )
    def post(self, request: Request) -> Response:
        """Add up to 200 questions; one that is there expects the new memories too."""
        given = body(request, GoldenRequest)
        done = add_questions(self.scope, questions=[one.golden() for one in given.questions])
        return Response(
            {
                "results": [{"id": str(one.id), "status": one.status} for one in done],
                "added": sum(one.status == "added" for one in done),
                "extended": sum(one.status == "extended" for one in done),
            }
        )

    @extend_schema(
        operation_id="remove_golden_questions",
        request=GoldenRemoval,
        responses={200: GoldenRemoved},
        tags=["quality"],
    )
    def delete(self, request: Request) -> Response:
        """Remove questions; the memories stay."""
        given = body(request, GoldenRemoval)
        return Response({"requested": len(set(given.ids)), "deleted": remove_questions(self.scope, ids=given.ids)})


class GoldenRunsView(ScopedView):
    """Runs of the golden questions."""

    rights = {"GET": Right.READ, "POST": Right.WRITE}
    queried = frozenset({"GET"})

    @extend_schema(operation_id="list_golden_runs", parameters=PAGING, responses=RunList, tags=["quality"])
    def get(self, request: Request) -> Response:
        """The runs, newest first, each with what got worse and better since the one before."""
        given = query(request, RunsQuery)
        page = list_runs(self.scope, limit=given.limit, before=given.before)
        return Response({"items": [run_json(one) for one in page.runs], "next": _text(page.next_before)})

    @extend_schema(
        operation_id="run_golden_questions",
        request=RunRequest,
        responses={200: RankedRunResponse, 202: JobAccepted},
        parameters=[IDEMPOTENCY],
        tags=["quality"],
    )
    def post(self, request: Request) -> Response:
        """Ask all questions: up to 20 before the answer, more as a job."""
        given = body(request, RunRequest)
        (status, answer), replayed = idempotency.once(
            self.scope,
            request.headers.get("Idempotency-Key"),
            route="POST golden-runs",
            body=request.data,
            act=lambda: self._started(given),
        )
        return Response(answer, status=status, headers={"Idempotency-Replayed": "true"} if replayed else None)

    def _started(self, given: RunRequest) -> tuple[int, object]:
        done = start_run(self.scope, plan=given.plan())
        if isinstance(done, Job):
            return render.written(done)
        shown = run_json(get_run(self.scope, done.id), ranks=True)
        return 200, shown


class GoldenRunView(ScopedView):
    """One run."""

    rights = {"GET": Right.READ}

    @extend_schema(operation_id="get_golden_run", responses=RankedRunResponse, tags=["quality"])
    def get(self, request: Request, run_id: UUID) -> Response:
        """A run with the rank of each question."""
        return Response(run_json(get_run(self.scope, run_id), ranks=True))


def _text(cursor: UUID | None) -> str | None:
    return None if cursor is None else str(cursor)
