"""Search: a question, filters, results with their reasons, and the opened memory beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from console import hits
from console.access import door, member_scope
from console.chips import Chip, Narrowing, builder, narrowing_of, tidied, value_list
from console.conditions import Condition
from console.dossier import Dossier, dossier_of
from console.figures import grouped
from console.modes import MODE_NAMES, MODES, Syntax, syntax_of
from console.parts import STAGE_LEGEND, STAGE_LOOK, name_of
from console.times import Times, times_of
from loci.ground.errors import NotFound
from memory.engine.tuning import Overrides
from memory.engine.types import NOW, View
from memory.services.lookup import get_memory, list_versions
from memory.services.recall import recall
from memory.services.status import tenant_status
from memory.services.survey import MOST as MOST_COUNTED
from memory.services.survey import count_each, known_keys, shares
from tenants.scope import Scope

STEP = 10
MOST = 100
LONGEST_QUERY = 32_768
MOST_SPACES = 6
"""Namespaces that a search can be narrowed to with one press."""
COUNTED = 8
"""Filters that are tried without, when nothing is found."""
UNRECORDED = Overrides(record_access=False, record_exposures=False)
"""A search as one types says nothing about what is used."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address of a search says."""

    query: str
    limit: int
    narrowing: Narrowing
    times: Times
    opened: UUID | None
    mode: str = MODES[0]

    @property
    def rest(self) -> list[tuple[str, str]]:
        """All but the filters, as it stands in an address."""
        more = [("limit", str(self.limit))] if self.limit != STEP else []
        return [*self._asked, *more, *self.times.pairs]

    @property
    def _asked(self) -> list[tuple[str, str]]:
        """The question and how it is read."""
        mode = [("mode", self.mode)] if self.mode != MODES[0] else []
        return [*([("q", self.query)] if self.query else []), *mode]

    @property
    def address(self) -> str:
        """The query string of this search, without the opened memory."""
        return urlencode([*self.rest, *self.narrowing.pairs])

    @property
    def wider(self) -> str:
        """The query string of the same search for more results."""
        limit = min(MOST, self.limit + STEP)
        return urlencode([*self._asked, ("limit", str(limit)), *self.times.pairs, *self.narrowing.pairs])

    @property
    def filters_only(self) -> str:
        """The query string of the filters alone."""
        return urlencode(self.narrowing.pairs)

    @property
    def usable(self) -> bool:
        """Whether every filter, both clocks and the query make sense."""
        return not self.narrowing.faulty and not self.times.faults and not self.syntax

    @property
    def modes(self) -> list[tuple[str, str, bool]]:
        """The ways to read a question: value, name, whether it is this one."""
        return [(mode, str(MODE_NAMES[mode]), mode == self.mode) for mode in MODES]

    @property
    def syntax(self) -> Syntax | None:
        """Why a query in the query language cannot be read."""
        return syntax_of(self.query) if self.mode == "raw" and self.query else None


def asked_of(request: HttpRequest) -> Asked:
    """What a request asks; what makes no sense in it is passed over, but for filters and clocks."""
    query = request.GET.get("q", "").replace("\x00", "").strip()[:LONGEST_QUERY]
    limit = request.GET.get("limit", "")
    wanted = int(limit) if limit.isascii() and limit.isdigit() and len(limit) < 5 else STEP
    opened = uuid_of(request.GET.get("open", ""))
    mode = request.GET.get("mode", "")
    return Asked(
        query, max(1, min(MOST, wanted)), narrowing_of(request.GET), times_of(request.GET), opened,
        mode if mode in MODES else MODES[0],
    )  # fmt: skip


def uuid_of(text: str) -> UUID | None:
    """The id that `text` is, if it is one."""
    try:
        return UUID(text.strip())
    except ValueError:
        return None


@require_safe
@door
def search(request: HttpRequest, slug: str) -> HttpResponse:
    """The page, or the part of it that was asked for: the results, or the opened memory."""
    scope = member_scope(request, slug)
    if (tidy := tidied(request.GET)) is not None:
        return redirect(f"{request.path}?{tidy}")
    asked, part = asked_of(request), _part(request)
    context: dict[str, Any] = {"section": "search", "slug": slug, "asked": asked, "here": True}
    if part == "memory":
        context["dossier"] = _opened(scope, asked.opened) if asked.opened else None
        return render(request, "console/search.html#panel", context)
    if (named := uuid_of(asked.query)) and not part and _exists(scope, named):
        return redirect("console:memory", slug=slug, memory=named)
    context |= _filter_row(scope, asked)
    if asked.usable:
        context |= _results(scope, asked) if asked.query else _start(scope)
    status = 200 if asked.usable else 422
    return render(request, f"console/search.html{'#results' if part else ''}", context, status=status)


def _filter_row(scope: Scope, asked: Asked) -> dict[str, Any]:
    """What the filters and the clocks show."""
    rest = asked.rest
    filters = asked.narrowing.pairs
    untimed = [pair for pair in rest if pair not in asked.times.pairs]
    namespaces = list(shares(scope).namespaces)
    return builder(asked.narrowing, rest, known_keys(scope), namespaces) | {
        "clocks": asked.times.chips([*untimed, *filters]),
        "untimed": [*untimed, *filters],
        "toggled": asked.times.toggled([*untimed, *filters]),
        "time_zone": scope.time_zone,
        "spaces": _spaces(asked, namespaces[:MOST_SPACES]),
    }


def _spaces(asked: Asked, largest: Sequence[str]) -> list[tuple[str, str, bool]]:
    """All namespaces and the largest ones: name, the query string that asks there, and whether this search does.

    None where there is nothing to choose, or where a filter says more of namespaces than one name.
    """
    narrowing = asked.narrowing
    others = tuple(each for each in narrowing.conditions if each.field != "namespace")
    chosen = [each for each in narrowing.conditions if each.field == "namespace"]
    if narrowing.either or len(chosen) > 1 or any(each.comparison != "eq" for each in chosen):
        return []
    offered = [Condition("namespace", "eq", value_list([name])) for name in largest]
    offered += [each for each in chosen if each not in offered]
    if len(offered) < 2:
        return []
    rest = [*asked.rest, *Narrowing(others, raw=narrowing.raw).pairs]
    found = [(each.value, urlencode([*rest, ("f", each.token)]), each in chosen) for each in offered]
    return [("", urlencode(rest), not chosen), *found]


def _part(request: HttpRequest) -> str:
    """Which part of the page htmx asks for; nothing for the whole."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return htmx.target or "" if htmx and not htmx.history_restore_request else ""


def _exists(scope: Scope, memory: UUID) -> bool:
    try:
        get_memory(scope, memory)
    except NotFound:
        return False
    return True


def _opened(scope: Scope, memory: UUID) -> Dossier:
    return dossier_of(scope, list_versions(scope, memory))


def _start(scope: Scope) -> dict[str, Any]:
    """Before a question: how much there is to ask for, and the first steps where there is nothing yet."""
    stored = tenant_status(scope)["memories"]
    return {"stored": stored, "empty": stored == 0, "public_url": settings.PUBLIC_URL, "dossier": None}


def _results(scope: Scope, asked: Asked) -> dict[str, Any]:
    answer = recall(
        scope, query=asked.query, limit=asked.limit, filters=asked.narrowing.filter, view=asked.times.view,
        mode=asked.mode, overrides=UNRECORDED,
    )  # fmt: skip
    missing = hits.missing_arms(answer.degraded, answer.notes)
    found = [hits.shown(hit, place, asked.query, missing) for place, hit in enumerate(answer.hits, 1)]
    return {
        "hits": found,
        "count": hits.counted(len(found)),
        "milliseconds": round(answer.seconds * 1000),
        "fallbacks": hits.fallbacks(answer.degraded),
        "remarks": hits.remarks(answer.notes) + hits.wordless(answer.hits, missing),
        "legend": _legend(found, missing),
        "more": len(found) == asked.limit < MOST,
        "dossier": _beside(scope, asked, found),
        "culprits": [] if found else culprits(scope, asked.narrowing, asked.rest, asked.times.view),
    }


def culprits(
    scope: Scope, narrowing: Narrowing, rest: Sequence[tuple[str, str]], view: View = NOW
) -> list[tuple[Chip, str]]:
    """The filters whose removal would let most through, that one first, with how many that are."""
    chips = narrowing.chips(rest)[:COUNTED]
    if narrowing.either or not chips:
        return [(chip, "") for chip in chips]
    counts = count_each(scope, narrowing.each_left_out()[:COUNTED], view=view)
    found = sorted(zip(chips, counts, strict=True), key=lambda pair: -pair[1])
    best = [(chip, number) for chip, number in found if number] or found
    return [(chip, f"{grouped(number)}+" if number == MOST_COUNTED else grouped(number)) for chip, number in best[:3]]


def _legend(found: list[hits.ShownHit], missing: dict[str, str]) -> list[tuple[str, str, str]]:
    """The colours that occur: look, name, and why an arm is missing."""
    shown = {
        reason.look: str(STAGE_LEGEND) if reason.look == STAGE_LOOK else reason.name
        for hit in found
        for reason in hit.reasons
        if reason.look != "off"
    }
    named = [(look, name, "") for look, name in shown.items()]
    return named + [("off", name_of(arm), why) for arm, why in missing.items()]


def _beside(scope: Scope, asked: Asked, found: list[hits.ShownHit]) -> Dossier | None:
    """The memory that stands open beside the results: the one asked for, else the first."""
    try:
        if asked.opened:
            return _opened(scope, asked.opened)
        return _opened(scope, found[0].record.id) if found else None
    except NotFound:  # erased since the address was made
        return None
