"""`/settings`."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from loci.ground.errors import Fault, InvalidRequest
from memory.api.parsing import body
from memory.api.views import ScopedView
from memory.services.settings import TenantSettings, change_settings, read_settings
from memory.shapes import render
from memory.shapes.settings import SettingsAnswer, SettingsChange
from tenants.scope import Right


class SettingsView(ScopedView):
    """The tenant's settings."""

    rights = {"GET": Right.ADMIN, "PATCH": Right.ADMIN}

    @extend_schema(operation_id="settings", responses=SettingsAnswer, tags=["settings"])
    def get(self, request: Request) -> Response:
        """All settings as they are in force; `ETag` names their version."""
        return _answer(read_settings(self.scope))

    @extend_schema(
        operation_id="change_settings",
        request=SettingsChange,
        responses=SettingsAnswer,
        parameters=[OpenApiParameter("If-Match", str, OpenApiParameter.HEADER)],
        tags=["settings"],
    )
    def patch(self, request: Request) -> Response:
        """Change some: what is absent stays, null is the default again. `If-Match` guards against a change in
        between."""
        change = body(request, SettingsChange)
        return _answer(change_settings(self.scope, change=change.patch, expected_version=_if_match(request)))


def _answer(found: TenantSettings) -> Response:
    return Response(render.tenant_settings(found), headers={"ETag": f'"{found.version}"'})


def _if_match(request: Request) -> int | None:
    given = request.headers.get("If-Match", "*").strip().strip('"')
    if given == "*":
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 10):
        raise InvalidRequest([Fault(("header", "If-Match"), "is no ETag of settings")])
    return int(given)
