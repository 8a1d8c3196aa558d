"""Quality: whether a result helped, what searches are expected to find, and how often they do."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.access import door, member_scope, safe_next
from console.chips import Narrowing, narrowing_of
from console.refusals import message_of
from console.trend import RunCard, drawn
from console.views.search import LONGEST_QUERY, uuid_of
from loci.ground.errors import NotFound, RuleBroken
from memory.engine.filters import AnyOf
from memory.engine.tuning import ARMS
from memory.models import Job
from memory.services.evaluate import RunPage, best, list_runs
from memory.services.golden import Golden, GoldenQuestion, add_questions, list_questions, remove_questions
from memory.services.learning import Signal, give_feedback
from memory.services.lookup import get_memory, list_memories
from memory.services.measure import start_run
from tenants.authentication import require
from tenants.scope import Right, Scope

PER_PAGE = 20
RUNS = 30
MOST_TEXTS, LONGEST_TEXT = 400, 60
"""Expected memories of a page that are shown by their text, and how much of it."""
SIGNALS: Mapping[str, Signal] = {"useful": "useful", "irrelevant": "irrelevant"}


@require_safe
@door
def quality(request: HttpRequest, slug: str) -> HttpResponse:
    """The last runs, what got worse, and the questions, twenty at a time."""
    scope = member_scope(request, slug)
    before = uuid_of(request.GET.get("before", ""))
    page, runs = list_questions(scope, limit=PER_PAGE, before=before), list_runs(scope, limit=RUNS)
    cards = [RunCard(each) for each in runs.runs]
    context = {
        "section": "quality",
        "here": True,
        "slug": slug,
        "questions": _rows(scope, page.questions, runs),
        "before": before,
        "more": urlencode({"before": str(page.next_before)}) if page.next_before else "",
        "last": cards[0] if cards else None,
        "runs": cards[:8],
        "trend": drawn(runs.runs),
    }
    return render(request, "console/quality.html", context)


def _rows(scope: Scope, questions: Sequence[GoldenQuestion], runs: RunPage) -> list[dict[str, Any]]:
    ids = sorted({str(memory) for one in questions for memory in one.expected})[:MOST_TEXTS]
    found = list_memories(scope, filters=AnyOf("id", tuple(ids)), limit=MOST_TEXTS).records if ids else []
    texts = {record.id: _beginning(record.text) for record in found}
    ranks = runs.runs[0].run.ranks if runs.runs else {}
    return [_row(one, ranks, texts) for one in questions]


def _beginning(text: str) -> str:
    """The beginning of a memory, for a link."""
    return Truncator(" ".join(text.split())).chars(LONGEST_TEXT)


def _row(one: GoldenQuestion, ranks: Mapping[str, Sequence[int | None]], texts: Mapping[UUID, str]) -> dict[str, Any]:
    """A question with its rank in the last run, `asked` False where that run did not ask it."""
    asked = ranks.get(str(one.id))
    return {
        "question": one,
        "expected": [(str(memory), texts.get(memory, "")) for memory in one.expected],
        "asked": asked is not None,
        "rank": best(asked) if asked else None,
        "narrowed": one.filters is not None or one.namespaces is not None,
        "find": urlencode({"q": one.question}),
    }


@require_POST
@door
def run(request: HttpRequest, slug: str) -> HttpResponse:
    """All questions, asked now or as a job."""
    scope = member_scope(request, slug)
    try:
        done = start_run(scope)
    except RuleBroken as error:
        messages.error(request, message_of(error))
        return redirect("console:quality", slug=slug)
    if isinstance(done, Job):
        messages.success(request, _("The questions are being asked; this page shows how far they are"))
        return redirect("console:job", slug=slug, job=done.id)
    messages.success(request, _("All questions were asked"))
    return redirect("console:quality", slug=slug)


@require_POST
@door
def remove(request: HttpRequest, slug: str, question: UUID) -> HttpResponse:
    """A question less."""
    scope = member_scope(request, slug)
    if not remove_questions(scope, ids=[question]):
        raise NotFound(_("There is no such question."))
    messages.success(request, _("Question removed"))
    return redirect("console:quality", slug=slug)


@require_POST
@door
def expect(request: HttpRequest, slug: str, memory: UUID) -> HttpResponse:
    """The search that was made is to find this memory from now on."""
    scope = member_scope(request, slug)
    require(scope, Right.WRITE)
    get_memory(scope, memory)  # tells of a memory that is not there
    query, back = _query(request), _back(request, slug)
    if not query:
        raise RuleBroken(_("Search for something first: the memory is expected for that question."))
    narrowing = narrowing_of(QueryDict(urlsplit(back).query))
    (done,) = add_questions(scope, questions=[Golden(query, [memory], _filters(narrowing))])
    told = {
        "added": _("Noted: this question should find this memory"),
        "extended": _("Noted: this question should find this memory too"),
        "unchanged": _("This question is expected to find this memory already"),
    }[done.status]
    return _rated(request, slug, memory, told, "expected", back)


def _filters(narrowing: Narrowing) -> Any:
    """The filters of a search in the filter language; None without any, or where they make no sense."""
    if narrowing.filter is None:
        return None
    parts = [each.raw for each in narrowing.conditions]
    if narrowing.either and len(parts) > 1:
        parts = [{"or": parts}]
    parts += [json.loads(narrowing.raw)] if narrowing.raw else []
    return parts[0] if len(parts) == 1 else {"and": parts}


@require_POST
@door
def feedback(request: HttpRequest, slug: str, memory: UUID) -> HttpResponse:
    """Whether a result helped."""
    scope = member_scope(request, slug)
    signal = SIGNALS.get(request.POST.get("signal", ""), "useful")
    arms = [arm for arm in request.POST.getlist("arm")[: len(ARMS)] if arm in ARMS]
    give_feedback(scope, hit=str(memory), signal=signal, query=_query(request) or None, arms=arms)
    told = _("Noted: useful") if signal == "useful" else _("Noted: not useful")
    return _rated(request, slug, memory, told, signal, _back(request, slug))


def _query(request: HttpRequest) -> str:
    return request.POST.get("q", "").replace("\x00", "").strip()[:LONGEST_QUERY]


def _back(request: HttpRequest, slug: str) -> str:
    return safe_next(request, request.POST.get("next"), reverse("console:search", args=[slug]))


def _rated(request: HttpRequest, slug: str, memory: UUID, told: str, given: str, back: str) -> HttpResponse:
    """The buttons as they are now with a toast, or the page that they were on."""
    if not request.htmx:  # type: ignore[attr-defined]
        messages.success(request, told)
        return redirect(back)
    context = {
        "slug": slug,
        "memory_id": memory,
        "query": request.POST.get("q", ""),
        "arms": request.POST.getlist("arm"),
        "back": back,
        "given": given,
        "told": told,
    }
    return render(request, "console/rate.html", context)
