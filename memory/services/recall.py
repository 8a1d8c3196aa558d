"""Recall: arms, fusion, stages, budget; under one deadline, and saying what fell back."""

import time
from dataclasses import replace

import structlog
from django.conf import settings
from django.db import DatabaseError

from loci.ground.errors import Fault, InvalidRequest
from memory.engine.embedding import EmbedderError
from memory.engine.filters import Filter
from memory.engine.lexis import QuerySyntaxError, parse
from memory.engine.shape import shape_of
from memory.engine.tuning import AS_SET, DEFAULTS, Overrides
from memory.engine.types import NOW, Search, View
from memory.retrievers import dense
from memory.services.learning import permitted, record_recall
from memory.services.outside import ask_outside
from memory.services.patience import Late, within
from memory.services.questions import NO_HELP, Help, help_with
from memory.services.recalled import Hit, Recalled
from memory.services.reranking import rerank
from memory.services.retrieve import retrieve
from memory.services.retrying import retry_weak
from memory.services.run import Run
from memory.services.tokens import count_tokens
from memory.stores.embedders import configured
from memory.stores.postgres.reader import remaining_ms
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

__all__ = ["Hit", "Recalled", "recall"]

log = structlog.get_logger(__name__)
ATTEMPTS = 3
SHARE = 0.45
"""A single statement may take this share of what is left of the deadline, so that another arm still has a chance."""


def recall(
    scope: Scope,
    *,
    query: str,
    limit: int = 10,
    filters: Filter | None = None,
    view: View = NOW,
    token_budget: int | None = None,
    deadline: float | None = None,
    include_trace: bool = False,
    mode: str = "hybrid",
    overrides: Overrides = AS_SET,
    wanted: Help = NO_HELP,
    radius: int = 0,
    length: int | None = None,
    retry_on_weak: bool = False,
) -> Recalled:
    """The memories within `scope` that answer `query` best: `limit` of them (1 to 100) if there are as many.

    `deadline` is in seconds from now (default RECALL_DEADLINE): an arm that is late is left out and named in
    `degraded`. `token_budget` keeps the longest prefix of the results whose texts fit, by estimate. `mode` is one of
    `memory.engine.tuning.MODES`; `overrides` is what this recall does otherwise than the tenant has set.
    `wanted` is what a language model is to make of the query first.
    `radius`: that many neighbours on each side come with each result, 0 to 5. `length`: characters of each text that
    are wanted, and count for the budget. `retry_on_weak`: ask again in other words if too little is found.
    `InvalidRequest` for a raw query that cannot be read; its `position` is in characters from 0.
    """
    began = time.monotonic()
    ends = began + (settings.RECALL_DEADLINE if deadline is None else deadline)
    search = Search(query, limit, ends, view, filters, mode)
    run = searched(scope, search, overrides, wanted=wanted, include_trace=include_trace, radius=radius)
    if retry_on_weak:
        retry_weak(run, lambda text: searched(scope, replace(search, text=text), overrides, radius=radius))
    spend(run, token_budget, length)
    record_recall(scope, [hit.record.id for hit in run.answer.hits], run.tuning)
    run.answer.trace["timings_ms"] = run.timings
    run.answer.seconds = time.monotonic() - began
    return run.answer


def searched(
    scope: Scope,
    search: Search,
    overrides: Overrides,
    *,
    wanted: Help = NO_HELP,
    include_trace: bool = False,
    radius: int = 0,
) -> Run:
    """A recall that has been made, before its budget is spent: with all that it found on the way."""
    require(scope, Right.READ)
    if search.mode == "raw":
        _check_syntax(search.text)
    allowed, notes = permitted(scope, overrides)
    tuning = allowed.over(DEFAULTS)
    run = Run(
        scope, search, Recalled(notes=notes), shape_of(search.text), include_trace, tuning, allowed, radius=radius
    )
    help_with(run, wanted)
    ask_outside(run)
    _embed(run)
    for attempt in range(ATTEMPTS):
        if _attempt(run, last=attempt == ATTEMPTS - 1):
            break
    rerank(run)
    return run


def _check_syntax(query: str) -> None:
    try:
        parse(query)
    except QuerySyntaxError as error:
        raise InvalidRequest(
            [Fault(("body", "query"), str(error), "query_syntax")],
            position=error.position,
            fault=error.code,
            expected=error.expected,
        ) from None


def _attempt(run: Run, *, last: bool) -> bool:
    """All that the database does, in one transaction; False when a part failed, which is then left out next time.

    No savepoints: they would cost every recall two round trips per part for what hardly ever happens.
    """
    left = remaining_ms(run.search.deadline, time.monotonic())
    try:
        with tenant_rows(run.scope.tenant, timeout_ms=max(1, int(left * SHARE))) as cursor:
            retrieve(run, cursor)
        return True
    except DatabaseError as error:
        if last or run.part == "texts":
            raise
        # query_canceled is how statement_timeout shows
        late = getattr(error.__cause__, "sqlstate", "") == "57014"
        name = run.part if run.part in ("pool", "signals") else f"retriever:{run.part}"
        run.degrade(f"{name}:{'timeout' if late else 'failed'}")
        if not late:
            log.error("recall_part_failed", part=run.part, reason=type(error).__name__)
        run.left_out.add(run.part)
        run.arms.pop(run.part, None)
        return False


def _embed(run: Run) -> None:
    """The query's vector, before any connection is taken."""
    if not run.takes(dense.NAME):
        return
    embedder = configured()
    if not embedder.enabled:
        run.answer.notes.append("retriever:dense:disabled")
        return
    patience = (run.search.deadline - time.monotonic()) * SHARE
    try:
        run.embedding = run.timed("embed", lambda: within(patience, lambda: embedder.embed_query(run.search.text)))
    except Late:
        run.degrade("retriever:dense:timeout")
    except EmbedderError as error:
        log.warning("embedder_failed", reason=str(error)[:200])
        run.degrade("retriever:dense:failed")
    except Exception as error:  # an embedder of one's own may raise anything; the words still answer
        log.exception("embedder_failed", reason=type(error).__name__)
        run.degrade("retriever:dense:failed")


def spend(run: Run, token_budget: int | None, length: int | None = None) -> None:
    """Keep the prefix of the results that fits the budget, the tenant's own where None is given.

    Of each text its first `length` characters count, and its neighbours' as much.
    """
    budget = run.tuning.token_budget if token_budget is None else token_budget
    answer = run.answer
    total, kept = 0, 0
    for hit in answer.hits:
        texts = [hit.record.text, *(near.record.text for near in hit.beside)]
        cost = sum(count_tokens(text[:length]) for text in texts)
        if budget is not None and total + cost > budget:
            break
        total, kept = total + cost, kept + 1
    if answer.hits and not kept:
        answer.notes.append("token_budget:too_small")
    answer.hits = answer.hits[:kept]
    answer.tokens_estimate = total
