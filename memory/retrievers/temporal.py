"""The temporal arm: what happened at the time that the query names."""

from collections.abc import Sequence
from dataclasses import replace

from memory.engine.dates import DateReading, Window
from memory.engine.nearness import earliest_first, in_order, nearness
from memory.engine.ports import Embedding, TemporalStore
from memory.engine.types import PoolItem, Ranked, Search
from tenants.scope import Scope

NAME = "temporal"


def retrieve(
    store: TemporalStore, scope: Scope, search: Search, dates: DateReading, embedding: Embedding | None, count: int
) -> Sequence[Ranked]:
    """The `count` versions within the windows that are nearest by meaning; without an embedding the latest ones; for
    a query about nothing but a time, in the order of time."""
    if dates.focused:
        return store.in_windows(scope, search, dates.windows, count, ascending=earliest_first(dates.windows))
    if embedding is None:
        return store.in_windows(scope, search, dates.windows, count, ascending=False)
    return store.nearest_in_windows(scope, search, dates.windows, embedding, count)


def scored(
    store: TemporalStore, scope: Scope, items: Sequence[PoolItem], windows: Sequence[Window], *, only_dated: bool
) -> list[PoolItem]:
    """The pool with how near each member lies to the windows, 0 without an event time; `only_dated`: with its place
    in the order of time."""
    moments = store.moments(scope, [item.version for item in items])
    if only_dated:
        near = in_order(windows, moments)
    else:
        near = {version: nearness(windows, moment) for version, moment in moments.items()}
    return [replace(item, scores={**item.scores, NAME: near.get(item.version, 0.0)}) for item in items]
