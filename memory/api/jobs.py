"""`/jobs`."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.parsing import query
from memory.api.views import ScopedView
from memory.services.jobs import get_job, list_jobs
from memory.shapes import render
from memory.shapes.answers import JobList, JobResponse
from memory.shapes.requests import JobQuery, instant
from tenants.scope import Right


class JobsView(ScopedView):
    """The collection."""

    rights = {"GET": Right.READ}
    queried = frozenset({"GET"})

    @extend_schema(
        operation_id="list_jobs",
        parameters=[OpenApiParameter("limit", int), OpenApiParameter("before", str)],
        responses=JobList,
        tags=["jobs"],
    )
    def get(self, request: Request) -> Response:
        """The key's own jobs, newest first; all of the tenant's with the scope `admin`."""
        given = query(request, JobQuery)
        page = list_jobs(self.scope, limit=given.limit, before=instant(given.before))
        return Response({"items": [render.job(job, with_result=False) for job in page.jobs], "next": page.next_before})


class JobView(ScopedView):
    """One job."""

    rights = {"GET": Right.READ}

    @extend_schema(operation_id="get_job", responses=JobResponse, tags=["jobs"])
    def get(self, request: Request, job_id: UUID) -> Response:
        """How far a job is, and its outcomes."""
        return Response(render.job(get_job(self.scope, job_id), with_result=True))
