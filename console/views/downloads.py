"""What can be fetched by anybody: the Python SDK."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from console import wheel
from console.refusals import refusal
from loci.ground.errors import NotFound


@require_safe
@cache_control(public=True, max_age=300)
def sdk(request: HttpRequest, name: str) -> HttpResponse:
    """The SDK of this version, under the one name that pip understands."""
    if name != wheel.name():
        return refusal(request, NotFound(_("This Loci has the SDK in another version: its Connect page says which.")))
    return HttpResponse(wheel.built(), content_type="application/zip")
