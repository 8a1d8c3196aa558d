"""A `LociError` as a page, or as a notice when only a part of the page was asked for."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_htmx.http import reswap, retarget

from loci.ground.context import current as facts
from loci.ground.errors import LociError

TITLES = {
    400: _("That request cannot be carried out"),
    403: _("You cannot do that here"),
    404: _("There is nothing at this address"),
    405: _("This address does not work that way"),
    409: _("This has changed in the meantime"),
    412: _("This has changed in the meantime"),
    413: _("That is too large"),
    422: _("That request cannot be carried out"),
    429: _("Too many requests"),
    503: _("Loci cannot answer right now"),
    507: _("The quota of this tenant is used up"),
}
ADVICE: dict[int | str, Promise] = {
    403: _("Nothing was changed. An owner or admin of this tenant can give you the right."),
    404: _("It may have been erased, or it belongs to a tenant that you are no member of."),
    "no_page": _("Look at how the address is written, or go on from the start."),
    429: _("Nothing was changed. Wait a moment, then try again."),
    503: _("Nothing was changed. Try again in a moment."),
    507: _("Nothing was stored. Erase what is no longer needed, or ask for a larger plan."),
}
MESSAGES = {
    "insufficient_scope": _("You can read the memories of this tenant, not change them."),
    "quota_exceeded": _("The tenant has as many memories as it may have."),
    "no_questions": _("No question expects a memory that is still there: search for one, and press the pin beside it."),
    "too_many_questions": _("The tenant has as many questions as it may have: remove some that tell nothing."),
    "retracted": _("This memory was retracted: restore it, or send its content again."),
}
KNOWN = (
    _("There is no such memory."),
    _("There is no such tenant."),
    _("There is no such job."),
)
"""What services say, so that it is translated as well."""
FALLBACK = _("This did not work")


def message_of(error: LociError) -> str:
    """What a service says, in the language of the page where that is known."""
    said = str(error)
    # an empty message would be taken for the catalogue's header
    return str(MESSAGES.get(error.code) or (gettext(said) if said else ""))


def refusal(request: HttpRequest, error: LociError) -> HttpResponse:
    """The response for `error`."""
    context = {
        "status": error.status,
        "title": TITLES.get(error.status, FALLBACK),
        "message": message_of(error),
        "advice": ADVICE.get(error.code) or ADVICE.get(error.status) or "",
        "request_id": facts.get().request_id,
    }
    if request.htmx:  # type: ignore[attr-defined]
        notice = render(request, "console/error.html#notice", context, status=error.status)
        return reswap(retarget(notice, "#notices"), "innerHTML")
    return render(request, "console/error.html", context, status=error.status)
