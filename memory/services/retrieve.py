"""What a recall asks of the database, in one transaction: the arms, the pool, fusion and stages, the records."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.engine import stages
from memory.engine.filters import empty_ranges, fields_of
from memory.engine.fusion import by_rank, fuse, reciprocal_ranks, with_floor
from memory.engine.plugins import Found
from memory.engine.shape import identifiers
from memory.engine.stages import Asked, Candidate
from memory.engine.stages.learned import needs_signals
from memory.engine.text.written import compounds
from memory.engine.types import Fused, Link, PoolItem, Ranked
from memory.retrievers import dense, imagined, lexical, temporal
from memory.services.dating import dates_of
from memory.services.learning import informed
from memory.services.recalled import Beside, Hit
from memory.services.run import POOL, Run
from memory.services.spaces import compare_space
from memory.stores.embedders import configured
from memory.stores.postgres import corpus, records
from memory.stores.postgres.corpus import Figures
from memory.stores.postgres.lexical import PostgresWords
from memory.stores.postgres.reader import PostgresReader
from memory.stores.postgres.temporal import PostgresTimes
from memory.stores.postgres.words import is_narrow

ANCHORS = 30
"""Hits whose neighbours within their source join the pool, at least."""
STAGED = 100
"""The best of the pool that the stages look at, at least; twice the limit if that is more."""
STRICT = frozenset({"raw", "exact", "keyword", "fuzzy"})
"""Modes whose hits are all that is asked for: nothing else joins the pool."""
MOST_BESIDE = 1_000_000
"""Characters of neighbours in one answer."""


def retrieve(run: Run, cursor: CursorWrapper) -> None:
    """Fill `run.answer.hits`, on a cursor inside `tenant_rows` of the scope's tenant."""
    _check_filters(run, cursor)
    items, links = _found(run, cursor)
    fused = run.timed("fusion", lambda: _fused(run, items, links))
    _answer(run, cursor, fused)


def _check_filters(run: Run, cursor: CursorWrapper) -> None:
    notes = [
        f"filter:unknown_key:{name.removeprefix('metadata.')}"
        for name in sorted(fields_of(run.search.filters))
        if name.startswith("metadata.") and not records.knows_key(cursor, run.scope, name, run.search.view)
    ]
    notes += [f"filter:empty_range:{name}" for name in sorted(empty_ranges(run.search.filters))]
    # a second attempt looks again
    run.answer.notes += [note for note in notes if note not in run.answer.notes]


def _found(run: Run, cursor: CursorWrapper) -> tuple[Sequence[PoolItem], Sequence[Link]]:
    """The arms on one connection, then the pool with every member truly scored."""
    figures = corpus.read(cursor, run.scope)
    run.tuning = run.overrides.over(figures.tuning)
    _read_dates(run)
    store, words = stores(run, cursor, figures)
    if run.embedding is not None:
        compare_space(figures, configured(), configured().space)
    for name, arm in arms_of(run, store, words, max(POOL, run.search.limit)):
        run.arms[name] = run.timed(name, arm)
    versions = list(dict.fromkeys(hit.version for hits in run.arms.values() for hit in hits))
    if not versions:
        return [], []
    if "pool" in run.left_out or run.search.mode in STRICT:
        return _unscored(run, versions), []
    anchors = _anchors(run, max(ANCHORS, run.search.limit)) if run.tuning.smoothing else []
    return run.timed("pool", lambda: _completed(run, store, versions, anchors))


def _read_dates(run: Run) -> None:
    if run.takes(temporal.NAME):
        run.dates = dates_of(run.scope, run.search, run.tuning)
    asked = run.overrides.weights and run.overrides.weights.get(temporal.NAME)
    if asked and run.dates is None and "temporal:no_parse" not in run.answer.notes:
        run.answer.notes.append("temporal:no_parse")


def _completed(
    run: Run, store: PostgresReader, versions: Sequence[UUID], anchors: Sequence[UUID]
) -> tuple[Sequence[PoolItem], Sequence[Link]]:
    """The pool with its neighbours; where the query names a time, with how near each lies to it."""
    items, links = store.complete(run.scope, run.search, versions, anchors, run.embedding, run.words.weights)
    pool = imagined.scored(items, {arm: run.arms[arm] for arm in run.imagined if arm in run.arms})
    pool = by_rank(pool, {arm: run.arms[arm] for arm in run.outside if arm in run.arms})
    if run.dates is None or temporal.NAME not in run.arms:
        return pool, links
    times = PostgresTimes(store.cursor, store)
    return temporal.scored(times, run.scope, pool, run.dates.windows, only_dated=run.only_dated), links


def stores(run: Run, cursor: CursorWrapper, figures: Figures) -> tuple[PostgresReader, PostgresWords]:
    """What the arms ask, on one cursor."""
    fields = run.tuning.fields
    return PostgresReader(cursor, figures, fields), PostgresWords(cursor, figures, fields)


def arms_of(
    run: Run, store: PostgresReader, words: PostgresWords, count: int
) -> Iterator[tuple[str, Callable[[], Sequence[Ranked]]]]:
    """The arms that this recall takes, each with the call that finds its first `count`."""
    embedding = run.embedding
    if embedding is not None and run.takes(dense.NAME):
        yield dense.NAME, lambda: dense.retrieve(store, run.scope, run.search, embedding, count)
    if run.takes(lexical.NAME):
        yield lexical.NAME, lambda: _words(run, words, count)
    for arm, vectors in run.imagined.items():
        if run.takes(arm):
            yield arm, partial(imagined.retrieve, store, run.scope, run.search, vectors, count)
    for arm, found in run.outside.items():
        if run.takes(arm):
            yield arm, partial(_proven, store.cursor, run, found)
    dates = run.dates
    if dates is not None and run.takes(temporal.NAME):
        times = PostgresTimes(store.cursor, store)
        yield temporal.NAME, lambda: temporal.retrieve(times, run.scope, run.search, dates, embedding, count)


def _proven(cursor: CursorWrapper, run: Run, found: Sequence[Found]) -> Sequence[Ranked]:
    """What of somebody else's hits the scope sees from the search's view through its filters; the rest is dropped."""
    versions = records.visible_of(cursor, run.scope, [hit.memory for hit in found], run.search)
    return [Ranked(versions[hit.memory], hit.score) for hit in found if hit.memory in versions]


def _words(run: Run, store: PostgresWords, count: int) -> Sequence[Ranked]:
    run.words = lexical.retrieve(store, run.scope, run.search, count, narrow=is_narrow(run.scope))
    if run.words.partial:
        run.degrade(f"retriever:{lexical.NAME}:partial")
    return run.words.hits


def _anchors(run: Run, count: int) -> list[UUID]:
    """The hits that are worth asking for their neighbours: the best by rank in any arm."""
    ranks = reciprocal_ranks(_rankings(run), {})
    return sorted(ranks, key=lambda version: (-ranks[version], version.int))[:count]


def _rankings(run: Run) -> dict[str, list[UUID]]:
    return {arm: [hit.version for hit in hits] for arm, hits in run.arms.items()}


def _unscored(run: Run, versions: Sequence[UUID]) -> list[PoolItem]:
    """The pool as the arms left it, for when its completion was late."""
    by_arm = {arm: {hit.version: hit.score for hit in hits} for arm, hits in run.arms.items()}
    return [PoolItem(version, {arm: found.get(version) for arm, found in by_arm.items()}) for version in versions]


def _fused(run: Run, items: Sequence[PoolItem], links: Sequence[Link]) -> list[Fused]:
    weights = {arm: weight for arm, weight in run.weights.items() if arm in run.arms}
    rankings = _rankings(run) if run.tuning.fusion == "rrf" else None
    smoothing = 0.0 if run.only_dated else run.tuning.smoothing
    # an embedder of one's own need not know it
    alike = getattr(configured(), "alike", None)
    return fuse(items, links, weights, smoothing, rankings=rankings, alike=alike)


def _answer(run: Run, cursor: CursorWrapper, fused: Sequence[Fused]) -> None:
    """The best, with their records; stages look at the best of the pool, and may change their order."""
    limit = run.kept
    asked = _asked(run)
    # the order of time is all that was asked for
    staged = [] if run.only_dated else stages.switched_on(run.tuning.stages, asked)
    floor = run.floor
    best = with_floor(fused, floor, max(STAGED, 2 * limit) if staged else limit)
    run.order = fused
    found = run.timed("texts", lambda: records.by_version(cursor, run.scope, [hit.version for hit in best]))
    candidates: Sequence[Candidate] = [Candidate(hit, found[hit.version]) for hit in best if hit.version in found]
    if needs_signals(staged) and "signals" not in run.left_out:
        plain = candidates
        candidates = run.timed("signals", lambda: informed(cursor, run.scope, plain, run.shape, run.arms))
    if staged:
        reordered = run.timed("stages", lambda: stages.apply(staged, asked, candidates))
        best = with_floor(reordered, floor, limit)
        moved = {hit.version for hit in reordered}
        run.order = [*reordered, *(hit for hit in fused if hit.version not in moved)]
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
    if run.radius:
        run.answer.hits = run.timed("neighbours", lambda: _with_neighbours(run, cursor))
    if run.with_trace:
        run.answer.trace = _trace(run, cursor, fused, [stage.name for stage in staged])


def _with_neighbours(run: Run, cursor: CursorWrapper) -> list[Hit]:
    """The results with what stands beside them, seen under the same scope, filters and time."""
    versions = [hit.record.version for hit in run.answer.hits]
    store = PostgresReader(cursor, Figures())
    near = store.neighbours(run.scope, run.search, versions, run.radius)
    found = records.by_version(cursor, run.scope, list({each.version for each in near}))
    beside: dict[UUID, list[Beside]] = {version: [] for version in versions}
    left = MOST_BESIDE
    # the nearest first, so that what does not fit is the furthest
    for each in sorted(near, key=lambda each: abs(each.distance)):
        if each.version in found and (left := left - len(found[each.version].text)) >= 0:
            beside[each.anchor].append(Beside(each.distance, found[each.version]))
    if left < 0:
        run.answer.notes.append("neighbors:cut")
    for shown in beside.values():
        shown.sort(key=lambda near: near.distance)
    return [replace(hit, beside=beside[hit.record.version]) for hit in run.answer.hits]


def _asked(run: Run) -> Asked:
    text = run.search.text
    return Asked(
        text,
        run.words.weights,
        run.words.information,
        run.shape,
        [*identifiers(text), *compounds(text)],
        run.search.view.valid_at or datetime.now(UTC),
        run.tuning.half_life,
        run.tuning.access_bonus,
    )


def _trace(run: Run, cursor: CursorWrapper, fused: Sequence[Fused], staged: Sequence[str]) -> dict[str, Any]:
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
        "weights": run.weights,
        "fusion": run.tuning.fusion,
        "shape": run.shape,
        "mode": run.search.mode,
        "read_as": {word: list(others) for word, others in run.words.read_as.items()},
        "fused": ranked(fused),
        "stages": list(staged),
        **run.made,
    }
