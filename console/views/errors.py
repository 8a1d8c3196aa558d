"""What Django shows when no view answers."""

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.template import loader
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django_htmx.http import reswap, retarget

from console.refusals import FALLBACK, refusal
from loci.ground.context import current as facts
from loci.ground.errors import Forbidden, LociError, NotFound, RuleBroken
from loci.ground.problems import problem


def _refused(request: HttpRequest, error: LociError) -> HttpResponse:
    """A problem document where a program asks, a page where a person does."""
    return problem(error) if request.path.startswith("/api/") else refusal(request, error)


@never_cache
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400; says nothing of the request, which may be an attack."""
    error = RuleBroken(_("The browser sent something that Loci does not understand."))
    return problem(error) if request.path.startswith("/api/") else _bare(error.status)


@never_cache
def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403."""
    return _refused(request, Forbidden(_("You do not have the right to do this.")))


@never_cache
def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404."""
    return _refused(request, NotFound(_("Loci has no page here."), code="no_page"))


@never_cache
def server_error(request: HttpRequest) -> HttpResponse:
    """500; touches neither database nor session, which may be what failed."""
    error = LociError(_("Something failed on our side; the request id names it in our logs."), code="internal_error")
    if request.path.startswith("/api/"):
        return problem(error)
    return _notice(error) if request.headers.get("HX-Request") else _bare(500)


def _notice(error: LociError) -> HttpResponse:
    """The part of a page that says it, without what a request brings into a template."""
    said = {"title": FALLBACK, "message": str(error), "request_id": facts.get().request_id}
    body = loader.get_template("console/error.html#notice").render(said)
    return reswap(retarget(HttpResponseServerError(body), "#notices"), "innerHTML")


def _bare(status: int) -> HttpResponse:
    page = loader.get_template("500.html" if status == 500 else "400.html")
    body = page.render({"request_id": facts.get().request_id})
    return HttpResponseServerError(body) if status == 500 else HttpResponse(body, status=status)
