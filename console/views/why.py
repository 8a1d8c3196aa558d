"""Why a memory did not come: the same search again, and what became of that one memory in it."""

import re
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.access import door, member_scope
from console.chips import Narrowing
from console.figures import decimal, grouped, signed
from console.parts import look_of, name_of
from console.views.search import UNRECORDED, Asked, asked_of
from loci.ground.errors import NotFound
from memory.engine.clauses import Clause
from memory.services.why import ArmReason, Why, why
from tenants.scope import Scope

_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class Line:
    """What one arm made of the memory."""

    name: str
    look: str
    rank: str
    score: str
    missed: str


@require_safe
@door
def explain(request: HttpRequest, slug: str) -> HttpResponse:
    """The question, the memory's id or address, and the reason."""
    scope = member_scope(request, slug)
    asked, given = asked_of(request), request.GET.get("memory", "").strip()
    context = {"section": "search", "slug": slug, "asked": asked, "given": given}
    found = _ID.search(given)
    if given and not found:
        context["fault"] = _("This is neither the id of a memory nor the address of its page.")
    elif found and asked.query and asked.usable and asked.syntax is None:
        context |= _told(scope, asked, UUID(found.group()))
    return render(request, "console/why.html", context, status=422 if context.get("fault") else 200)


def _told(scope: Scope, asked: Asked, memory: UUID) -> dict[str, object]:
    try:
        found = why(
            scope,
            memory=memory,
            query=asked.query,
            limit=asked.limit,
            clauses=_clauses(asked.narrowing),
            view=asked.times.view,
            mode=asked.mode,
            overrides=UNRECORDED,
        )
    except NotFound:
        return {"fault": _("There is no such memory here.")}
    return {
        "found": found,
        "verdict": _verdict(found),
        "lines": [_line(name, arm) for name, arm in found.arms.items()],
        "parts": [(name_of(part), look_of(part), signed(value)) for part, value in found.parts.items()],
    }


def _clauses(narrowing: Narrowing) -> list[Clause]:
    """Each filter under the words of its chip; as one where any of them will do."""
    whole = narrowing.filter
    if whole is None:
        return []
    if narrowing.either or narrowing.raw:
        return [Clause(_("the filters"), whole)]
    return [Clause(label, part) for label, part in narrowing.each_alone()]


def _verdict(found: Why) -> str:
    said = {
        "returned": _("It is among the results, at place %(rank)d."),
        "over_token_budget": _("It was found at place %(rank)d, but the token budget ends before it."),
        "below_limit": _("It was found, but stands at place %(rank)d, below the results that are shown."),
        "below_cut": _("Neither its meaning nor its words are near enough to the question: no part of the search had"
                       " it among its best."),
        "filtered": _("The search keeps it out: %(clauses)s."),
        "other_time": _("It is not in view at this time: %(times)s."),
    }[found.verdict]  # fmt: skip
    times = {
        "retracted": _("it was retracted"),
        "superseded": _("a later version has taken its place"),
        "expired": _("it has expired"),
        "not_yet_valid": _("it does not hold yet"),
        "no_longer_valid": _("it no longer holds"),
        "not_yet_known": _("it was not known then"),
    }
    return said % {
        "rank": found.rank or 0,
        "clauses": ", ".join(found.clauses),
        "times": ", ".join(times[each] for each in found.times),
    }


def _line(name: str, arm: ArmReason) -> Line:
    rank = grouped(arm.rank) if arm.rank else _("not among the first 1,000")
    score = "–" if arm.score is None else decimal(arm.score, 3)
    if arm.rank and arm.rank <= arm.taken:
        missed = _("taken")
    elif arm.margin is None:
        missed = "–"
    else:
        missed = _("misses the last of %(taken)d by %(margin)s") % {
            "taken": arm.taken,
            "margin": decimal(arm.margin, 3),
        }
    return Line(name_of(name), look_of(name), rank, score, missed)
