"""Recall: arms, fusion, budget; under one deadline, and saying what fell back."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DatabaseError
from django.db.backends.utils import CursorWrapper

from loci.ground.metrics import DEGRADED, RECALL_SECONDS
from memory.engine.embedding import EmbedderError
from memory.engine.filters import Filter, empty_ranges, fields_of
from memory.engine.fusion import fuse, reciprocal_ranks
from memory.engine.ports import Embedding, LexicalHits
from memory.engine.text import estimate_tokens
from memory.engine.types import NOW, Fused, Neighbour, PoolItem, Ranked, Record, Search, View
from memory.retrievers import dense, lexical
from memory.services.patience import Late, within
from memory.services.spaces import compare_space
from memory.stores.embedders import configured
from memory.stores.postgres import corpus, records
from memory.stores.postgres.reader import PostgresReader, remaining_ms
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

log = structlog.get_logger(__name__)
ATTEMPTS = 3
SHARE = 0.45
"""A single statement may take this share of what is left of the deadline, so that another arm still has a chance."""
POOL = 50
"""Hits of each arm that enter the pool, at least."""
FULL_STRENGTH = 0.7
"""Share of the query's information that the best lexical hit must match for the lexical arm to count in full; below,
its weight falls in proportion: a question in other words than its answer must not be decided by a chance word."""
ANCHORS = 30
"""Hits whose neighbours within their source join the pool, at least."""
T = TypeVar("T")


NO_WORDS = LexicalHits([], {})


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: `arms` are the arms that found it, with their rank from 1; `parts` add up to its place."""

    record: Record
    score: float
    arms: Mapping[str, int]
    parts: Mapping[str, float]
    raw: Mapping[str, float]


@dataclass(slots=True)
class Recalled:
    """The answer: hits best first. `degraded` names what fell back, `notes` what merely did not apply."""

    hits: list[Hit] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tokens_estimate: int = 0
    trace: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(slots=True)
class _Run:
    """One recall under way."""

    scope: Scope
    search: Search
    answer: Recalled
    with_trace: bool = False
    embedding: Embedding | None = None
    arms: dict[str, Sequence[Ranked]] = field(default_factory=dict)
    words: LexicalHits = NO_WORDS
    timings: dict[str, float] = field(default_factory=dict)
    part: str = "filters"
    left_out: set[str] = field(default_factory=set)

    @property
    def arm_weights(self) -> dict[str, float]:
        """How much each arm counts in this recall."""
        return {dense.NAME: 1.0, lexical.NAME: min(1.0, self.words.strength / FULL_STRENGTH)}

    def timed(self, part: str, work: Callable[[], T]) -> T:
        """`work()`, its milliseconds noted under `part`."""
        self.part = part
        began = time.perf_counter()
        try:
            return work()
        finally:
            took = time.perf_counter() - began
            self.timings[part] = self.timings.get(part, 0.0) + round(took * 1000, 3)
            RECALL_SECONDS.labels(part).observe(took)

    def degrade(self, reason: str) -> None:
        """Say that something fell back."""
        self.answer.degraded.append(reason)
        DEGRADED.labels(reason).inc()


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
) -> Recalled:
    """The memories within `scope` that answer `query` best: `limit` of them (1 to 100) if there are as many.

    `deadline` is in seconds from now (default RECALL_DEADLINE): an arm that is late is left out and named in
    `degraded`. `token_budget` keeps the longest prefix of the results whose texts fit, by estimate.
    """
    require(scope, Right.READ)
    began = time.monotonic()
    ends = began + (settings.RECALL_DEADLINE if deadline is None else deadline)
    run = _Run(scope, Search(query, limit, ends, view, filters), Recalled(), include_trace)
    _embed(run)
    for attempt in range(ATTEMPTS):
        if _search(run, last=attempt == ATTEMPTS - 1):
            break
    _spend(run.answer, token_budget)
    run.answer.trace["timings_ms"] = run.timings
    run.answer.seconds = time.monotonic() - began
    return run.answer


def _search(run: _Run, *, last: bool) -> bool:
    """All that the database does, in one transaction; False when a part failed, which is then left out next time.

    No savepoints: they would cost every recall two round trips per part for what hardly ever happens.
    """
    left = remaining_ms(run.search.deadline, time.monotonic())
    try:
        with tenant_rows(run.scope.tenant, timeout_ms=max(1, int(left * SHARE))) as cursor:
            _check_filters(run, cursor)
            items, neighbours = _found(run, cursor)
            fused = run.timed("fusion", lambda: fuse(items, neighbours, run.arm_weights))
            _answer(run, cursor, fused)
        return True
    except DatabaseError as error:
        if last or run.part == "texts":
            raise
        # query_canceled is how statement_timeout shows
        late = getattr(error.__cause__, "sqlstate", "") == "57014"
        name = run.part if run.part == "pool" else f"retriever:{run.part}"
        run.degrade(f"{name}:{'timeout' if late else 'failed'}")
        if not late:
            log.error("recall_part_failed", part=run.part, reason=type(error).__name__)
        run.left_out.add(run.part)
        return False


def _embed(run: _Run) -> None:
    """The query's vector, before any connection is taken."""
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


def _check_filters(run: _Run, cursor: CursorWrapper) -> None:
    notes = [
        f"filter:unknown_key:{name.removeprefix('metadata.')}"
        for name in sorted(fields_of(run.search.filters))
        if name.startswith("metadata.") and not records.knows_key(cursor, run.scope, name, run.search.view)
    ]
    notes += [f"filter:empty_range:{name}" for name in sorted(empty_ranges(run.search.filters))]
    # a second attempt looks again
    run.answer.notes += [note for note in notes if note not in run.answer.notes]


def _found(run: _Run, cursor: CursorWrapper) -> tuple[Sequence[PoolItem], Sequence[Neighbour]]:
    """Both arms on one connection, then the pool with every member truly scored."""
    figures = corpus.read(cursor, run.scope)
    store = PostgresReader(cursor, figures)
    scope, search, embedding = run.scope, run.search, run.embedding
    count = max(POOL, search.limit)
    if embedding is not None:
        compare_space(figures, configured(), configured().space)
        if dense.NAME not in run.left_out:
            hits = run.timed(dense.NAME, lambda: dense.retrieve(store, scope, search, embedding, count))
            run.arms[dense.NAME] = hits
    if lexical.NAME not in run.left_out:
        run.words = run.timed(lexical.NAME, lambda: lexical.retrieve(store, scope, search, count))
        run.arms[lexical.NAME] = run.words.hits
    versions = list(dict.fromkeys(hit.version for hits in run.arms.values() for hit in hits))
    if not versions:
        return [], []
    if "pool" in run.left_out:
        return _unscored(run, versions), []
    anchors = _anchors(run, max(ANCHORS, search.limit))
    return run.timed("pool", lambda: store.complete(scope, search, versions, anchors, embedding, run.words.weights))


def _anchors(run: _Run, count: int) -> list[UUID]:
    """The hits that are worth asking for their neighbours: the best by rank in any arm."""
    ranks = reciprocal_ranks({arm: [hit.version for hit in hits] for arm, hits in run.arms.items()}, {})
    return sorted(ranks, key=lambda version: (-ranks[version], version.int))[:count]


def _unscored(run: _Run, versions: Sequence[UUID]) -> list[PoolItem]:
    """The pool as the arms left it, for when its completion was late."""
    by_arm = {arm: {hit.version: hit.score for hit in hits} for arm, hits in run.arms.items()}
    return [PoolItem(version, {arm: found.get(version) for arm, found in by_arm.items()}) for version in versions]


def _answer(run: _Run, cursor: CursorWrapper, fused: Sequence[Fused]) -> None:
    best = fused[: run.search.limit]
    found = run.timed("texts", lambda: records.by_version(cursor, run.scope, [hit.version for hit in best]))
    ranks = {arm: {hit.version: rank for rank, hit in enumerate(hits, 1)} for arm, hits in run.arms.items()}
    run.answer.hits = [
        Hit(
            found[hit.version],
            hit.score,
            {arm: places[hit.version] for arm, places in ranks.items() if hit.version in places},
            hit.parts,
            hit.raw,
        )
        for hit in best
        if hit.version in found
    ]
    if run.with_trace:
        run.answer.trace = _trace(run, cursor, fused)


def _spend(answer: Recalled, budget: int | None) -> None:
    """Keep the prefix that fits the budget."""
    total, kept = 0, 0
    for hit in answer.hits:
        cost = estimate_tokens(hit.record.text)
        if budget is not None and total + cost > budget:
            break
        total, kept = total + cost, kept + 1
    if answer.hits and not kept:
        answer.notes.append("token_budget:too_small")
    answer.hits = answer.hits[:kept]
    answer.tokens_estimate = total


def _trace(run: _Run, cursor: CursorWrapper, fused: Sequence[Fused]) -> dict[str, Any]:
    """What each arm found and what became of it, by memory id; no text."""
    seen = [hit.version for hits in run.arms.values() for hit in hits]
    ids = records.memories_of(cursor, run.scope, [*seen, *(hit.version for hit in fused)])

    def ranked(hits: Sequence[Ranked | Fused]) -> list[list[Any]]:
        return [[str(ids[hit.version]), round(hit.score, 6)] for hit in hits if hit.version in ids]

    return {
        "retrievers": [
            {"name": name, "ranked": ranked(hits), "latency_ms": run.timings.get(name, 0.0)}
            for name, hits in run.arms.items()
        ],
        "weights": run.arm_weights,
        "fused": ranked(fused),
        "stages": [],
    }
