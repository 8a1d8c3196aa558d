"""What is remembered: the list, and one memory."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from console.access import door, member_scope
from console.chips import narrowing_of
from console.diff import compare
from console.dossier import Dossier
from console.forms import KIND_CHOICES
from console.hits import Piece, snippet
from console.views.search import uuid_of
from memory.engine.types import Record
from memory.services.lookup import Page, list_memories, list_versions

PER_PAGE = 20


@require_safe
@door
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    """What is believed now, twenty at a time."""
    scope = member_scope(request, slug)
    narrowing = narrowing_of(request.GET)
    after = uuid_of(request.GET.get("after", ""))
    page = list_memories(scope, after=after, limit=PER_PAGE, filters=narrowing.filter)
    context = {
        "section": "memories",
        "here": True,
        "slug": slug,
        "chips": narrowing.chips(),
        "kinds": KIND_CHOICES,
        "rows": _rows(page, whole=after is None),
        "whole": page.complete and after is None,
        "after": after,
        "more": "" if page.complete else urlencode([*narrowing.pairs, ("after", str(page.records[-1].id))]),
    }
    part = "#rows" if request.htmx and request.htmx.target == "rows" else ""  # type: ignore[attr-defined]
    return render(request, f"console/memories.html{part}", context)


def _rows(page: Page, *, whole: bool) -> list[tuple[Record, list[Piece]]]:
    """Pages come in order of id. Where one page is all there is, the newest comes first."""
    records = page.records
    if whole and page.complete:
        records = sorted(records, key=lambda record: record.payload["known_from"], reverse=True)
    return [(record, snippet(record.text, longest=280)) for record in records]


@require_safe
@door
def memory(request: HttpRequest, slug: str, memory: UUID) -> HttpResponse:
    """A memory with both its clocks, and two of its versions compared."""
    scope = member_scope(request, slug)
    dossier = Dossier(list_versions(scope, memory), scope.actor)
    context: dict[str, Any] = {"section": "memories", "slug": slug, "dossier": dossier}
    if dossier.number > 1:
        older, newer = _chosen(request, dossier.number)
        context |= {"older": older, "newer": newer, "numbers": range(1, dossier.number + 1)}
        context["comparison"] = compare(*_pair(dossier.versions, older, newer))
    return render(request, "console/memory.html", context)


def _chosen(request: HttpRequest, number: int) -> tuple[int, int]:
    """Which two versions to compare: what the address says, else the last two."""

    def one(name: str, default: int) -> int:
        given = request.GET.get(name, "")
        chosen = int(given) if given.isascii() and given.isdigit() and len(given) < 4 else default
        return chosen if 1 <= chosen <= number else default

    return one("from", number - 1), one("to", number)


def _pair(versions: Sequence[Record], older: int, newer: int) -> tuple[Record, Record]:
    return versions[len(versions) - older], versions[len(versions) - newer]
