"""Jobs: what is queued, running and done; and one job with what became of its items."""

from datetime import UTC, datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from console.access import door, member_scope
from console.progress import JobCard
from memory.services.jobs import get_job, list_jobs
from tenants.scope import Right
from tenants.services.activity import names_of

PER_PAGE = 20
UNTIL_THE_FIRST = "5s"
"""How often an empty list asks for a first job."""


@require_safe
@door
def jobs(request: HttpRequest, slug: str) -> HttpResponse:
    """The jobs that one may see, newest first, twenty at a time."""
    scope = member_scope(request, slug)
    before = _instant(request.GET.get("before", ""))
    page = list_jobs(scope, limit=PER_PAGE, before=before)
    names = names_of(scope, {job.actor for job in page.jobs})
    cards = [JobCard(job, scope.actor, names=names) for job in page.jobs]
    idle = "" if cards or before else UNTIL_THE_FIRST
    context = {
        "section": "jobs",
        "here": True,
        "slug": slug,
        "cards": cards,
        "before": before,
        "here_query": request.GET.urlencode(),
        "pace": min((card.pace for card in cards if card.pace), key=len, default=idle),
        "every": scope.may(Right.ADMIN),
        "more": urlencode({"before": page.next_before.isoformat()}) if page.next_before else "",
    }
    part = "#list" if request.htmx and request.htmx.target == "jobs" else ""  # type: ignore[attr-defined]
    return render(request, f"console/jobs.html{part}", context)


@require_safe
@door
def job(request: HttpRequest, slug: str, job: UUID) -> HttpResponse:
    """One job; to HTMX only how far it is, or more of its outcomes."""
    scope = member_scope(request, slug)
    found = get_job(scope, job)
    names = names_of(scope, [found.actor])
    card = JobCard(found, scope.actor, start=_place(request.GET.get("from", "")), names=names)
    target = request.htmx.target if request.htmx else None  # type: ignore[attr-defined]
    part = {"job": "#progress", "rows": "#rows"}.get(target or "", "")
    return render(request, f"console/job.html{part}", {"section": "jobs", "slug": slug, "card": card})


def _instant(given: str) -> datetime | None:
    try:
        found = parse_datetime(given)
    except ValueError:
        return None
    return found.replace(tzinfo=found.tzinfo or UTC) if found else None


def _place(given: str) -> int:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 5 else 0
