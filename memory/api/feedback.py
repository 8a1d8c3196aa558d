"""`/feedback`."""

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.memories import IDEMPOTENCY
from memory.api.parsing import body
from memory.api.views import ScopedView
from memory.services.learning import give_feedback
from memory.shapes.answers import FeedbackResponse
from memory.shapes.feedback import FeedbackRequest
from tenants.scope import Right


class FeedbackView(ScopedView):
    """Feedback."""

    rights = {"POST": Right.WRITE}

    @extend_schema(
        operation_id="give_feedback",
        request=FeedbackRequest,
        responses=FeedbackResponse,
        parameters=[IDEMPOTENCY],
        tags=["recall"],
    )
    def post(self, request: Request) -> Response:
        """Learn from what somebody thought of a result; the same feedback counts once a day."""
        given = body(request, FeedbackRequest)
        learned, replayed = give_feedback(
            self.scope,
            hit=given.hit_id,
            signal=given.signal,
            query=given.query,
            query_type=given.query_type,
            arms=given.arms,
            reward=given.reward,
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        headers = {"Idempotency-Replayed": "true"} if replayed else None
        return Response({"ok": True, **asdict(learned)}, headers=headers)
