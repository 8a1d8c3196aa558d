"""What is remembered: the list, and one memory."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from console.access import door, member_scope
from console.chips import builder, narrowing_of, tidied
from console.diff import compare, differ
from console.dossier import author, dossier_of
from console.hits import Piece, snippet
from console.views.search import culprits
from memory.engine.types import Record
from memory.services.browse import Shelf, browse, place_of, token
from memory.services.lookup import list_versions
from memory.services.survey import known_keys
from tenants.scope import Scope
from tenants.services.activity import names_of

PER_PAGE = 20


@require_safe
@door
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    """What is believed now or was retracted, newest first, twenty at a time."""
    scope = member_scope(request, slug)
    if (tidy := tidied(request.GET)) is not None:
        return redirect(f"{request.path}?{tidy}")
    narrowing = narrowing_of(request.GET)
    shelf: Shelf = "retracted" if request.GET.get("state") == "retracted" else "believed"
    rest = [("state", shelf)] if shelf == "retracted" else []
    after = place_of(request.GET.get("after", ""))
    context: dict[str, Any] = {
        "section": "memories",
        "here": True,
        "slug": slug,
        "shelf": shelf,
        "after": after,
        "believed": urlencode(narrowing.pairs),
        "retracted": urlencode([("state", "retracted"), *narrowing.pairs]),
        "first": urlencode([*rest, *narrowing.pairs]),
    }
    context |= builder(narrowing, rest, known_keys(scope))
    if not narrowing.faulty:
        leaf = browse(scope, shelf=shelf, after=after, limit=PER_PAGE, filters=narrowing.filter)
        context |= {"rows": _rows(scope, leaf.records)}
        context["more"] = urlencode([*rest, *narrowing.pairs, ("after", token(leaf.after))]) if leaf.after else ""
        if not leaf.records and shelf == "believed":
            context["culprits"] = culprits(scope, narrowing, rest)
    part = "#rows" if request.htmx and request.htmx.target == "rows" else ""  # type: ignore[attr-defined]
    return render(request, f"console/memories.html{part}", context, status=422 if narrowing.faulty else 200)


def _rows(scope: Scope, records: Sequence[Record]) -> list[tuple[Record, list[Piece], str]]:
    """Each memory with how its text begins and who wrote it."""
    names = names_of(scope, {record.payload["written_by"] for record in records})
    return [
        (record, snippet(record.text, longest=280), author(record.payload["written_by"], scope.actor, names))
        for record in records
    ]


@require_safe
@door
def memory(request: HttpRequest, slug: str, memory: UUID) -> HttpResponse:
    """A memory with both its clocks, and two of its versions compared."""
    scope = member_scope(request, slug)
    dossier = dossier_of(scope, list_versions(scope, memory))
    context: dict[str, Any] = {"section": "memories", "slug": slug, "dossier": dossier}
    if dossier.number > 1:
        older, newer = _chosen(request, dossier.versions)
        context |= {"older": older, "newer": newer, "numbers": range(1, dossier.number + 1)}
        context["comparison"] = compare(*_pair(dossier.versions, older, newer))
    return render(request, "console/memory.html", context)


def _chosen(request: HttpRequest, versions: Sequence[Record]) -> tuple[int, int]:
    """Which two versions to compare: what the address says, else the last that differs and the one before it."""
    number = len(versions)
    last = next((at for at in range(number, 1, -1) if differ(*_pair(versions, at - 1, at))), number)

    def one(name: str, default: int) -> int:
        given = request.GET.get(name, "")
        chosen = int(given) if given.isascii() and given.isdigit() and len(given) < 4 else default
        return chosen if 1 <= chosen <= number else default

    return one("from", last - 1), one("to", last)


def _pair(versions: Sequence[Record], older: int, newer: int) -> tuple[Record, Record]:
    return versions[len(versions) - older], versions[len(versions) - newer]
