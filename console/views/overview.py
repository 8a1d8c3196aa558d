"""A tenant's front page, and what was done in it."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from console.access import door, member_scope
from console.chips import value_list
from console.conditions import Condition
from console.deeds import Deed, deed
from console.figures import grouped, lasting, percent
from console.kinds import kind_name
from console.views.search import uuid_of
from memory.services.jobs import list_jobs
from memory.services.overview import Overview, overview
from memory.services.survey import Shares, shares
from tenants.scope import Right, Scope
from tenants.services.activity import ActivityPage, list_activity
from tenants.services.keys import any_in_use

RECENT = 7
PER_PAGE = 30
MOST_SHARES = 6
LOOKED_AT = 20
"""The newest jobs that may still be under way."""
LATE = 60.0
"""Seconds of lag from which the index is said to be behind."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the memories: `find` is the query string that lists it."""

    name: str
    number: str
    percent: int
    find: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A day in the drawing of what was stored."""

    x: int
    height: str
    y: str


@require_safe
@door
def tenant(request: HttpRequest, slug: str) -> HttpResponse:
    """How the tenant stands; where it holds nothing yet, the first steps. The page asks again by itself."""
    scope = member_scope(request, slug)
    stands = overview(scope)
    target = request.htmx.target if request.htmx else None  # type: ignore[attr-defined]
    empty = stands.status["memories"] == 0
    if target == "waiting" and not empty:
        return HttpResponseClientRefresh()
    context: dict[str, Any] = {"section": "overview", "here": True, "slug": slug, "stands": stands}
    if empty:
        context |= {"public_url": settings.PUBLIC_URL, "first_use": True}
        return render(request, f"console/first_use.html{'#waiting' if target == 'waiting' else ''}", context)
    jobs = [job for job in list_jobs(scope, limit=LOOKED_AT).jobs if job.state in ("queued", "running")]
    context |= {"jobs": [_job(job) for job in jobs[:5]], "index": _index(stands), "use": _use(stands)}
    context["busy"] = bool(jobs) or bool(stands.status["index_pending"])
    if target == "live":
        return render(request, "console/overview.html#live", context)
    context["unconnected"] = scope.may(Right.ADMIN) and not any_in_use(scope)
    page = list_activity(scope, limit=RECENT)
    context |= {"deeds": _deeds(page, scope, slug), "bars": _bars(stands), **_week(stands), **_shares(shares(scope))}
    return render(request, "console/overview.html", context)


def _use(stands: Overview) -> dict[str, Any]:
    """Use against the quota."""
    used, limit = stands.status["memories"], stands.status["memories_limit"]
    share = percent(used, limit) if limit is not None else 0
    look = "bad" if share >= 95 else "warn" if share >= 80 else ""
    said = {"used": grouped(used), "limit": None if limit is None else grouped(limit), "percent": share, "look": look}
    return said | {"rps": None if stands.rps is None else f"{stands.rps:g}"}


def _index(stands: Overview) -> dict[str, Any]:
    pending, lag = stands.status["index_pending"], stands.status["index_lag_seconds"]
    if not pending:
        return {"lag": _("Up to date"), "pending": "0", "look": "ok", "behind": False}
    behind = lag >= LATE
    return {"lag": lasting(lag), "pending": grouped(pending), "look": "warn" if behind else "ok", "behind": behind}


def _job(job: Any) -> dict[str, Any]:
    return {"id": job.id, "done": grouped(job.done), "total": grouped(job.total), "created_at": job.created_at,
            "percent": percent(job.done, job.total), "queued": job.state == "queued"}  # fmt: skip


def _bars(stands: Overview) -> list[Bar]:
    """Memories stored a day, drawn 28 units high."""
    most = max(1, *(number for _day, number in stands.stored))
    heights = [0.0 if not number else max(1.5, 28 * number / most) for _day, number in stands.stored]
    return [Bar(at * 10, f"{height:.1f}", f"{28 - height:.1f}") for at, height in enumerate(heights)]


def _week(stands: Overview) -> dict[str, Any]:
    days = [number for _day, number in stands.stored]
    plus = "" if stands.stored_whole else "+"
    return {"week": grouped(sum(days[-7:])) + plus, "today": grouped(days[-1]) + plus, "days": stands.stored}


def _shares(found: Shares) -> dict[str, Any]:
    """How the memories divide: kinds and namespaces, the largest first."""
    kinds = [
        _share(kind_name(kind) if kind else _("None given"), number, found.counted,
               Condition("kind", "eq" if kind else "missing", kind or ""))
        for kind, number in found.kinds.items()
    ]  # fmt: skip
    spaces = [
        _share(name, number, found.counted, Condition("namespace", "eq", value_list([name])))
        for name, number in found.namespaces.items()
    ]
    tiers = [_share(name, number, found.counted, Condition("tier", "eq", name)) for name, number in found.tiers.items()]
    groups = [(_("Kind"), kinds), (_("Namespace"), spaces), *([(_("Tier"), tiers)] if len(tiers) > 1 else [])]
    return {
        "shares": [(title, rows[:MOST_SHARES], len(rows) - MOST_SHARES) for title, rows in groups],
        "sample": "" if found.whole else grouped(found.counted),
    }


def _share(name: str, number: int, counted: int, condition: Condition) -> Share:
    return Share(name, grouped(number), percent(number, counted), urlencode({"f": condition.token}))


def _deeds(page: ActivityPage, scope: Scope, slug: str) -> list[Deed]:
    keys_of = slug if scope.may(Right.ADMIN) else ""
    return [deed(event, scope.actor, keys_of) for event in page.events]


@require_safe
@door
def activity(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that was done, newest first."""
    scope = member_scope(request, slug)
    before: UUID | None = uuid_of(request.GET.get("before", ""))
    page = list_activity(scope, limit=PER_PAGE, before=before)
    context = {"section": "activity", "here": True, "slug": slug, "deeds": _deeds(page, scope, slug), "before": before,
               "more": urlencode({"before": str(page.before)}) if page.before else ""}  # fmt: skip
    part = "#rows" if request.htmx and request.htmx.target == "rows" else ""  # type: ignore[attr-defined]
    return render(request, f"console/activity.html{part}", context)
