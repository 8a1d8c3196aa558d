"""The temporal arm: what happened at the time that the query names."""

from collections.abc import Sequence

from memory.engine.dates import DateReading
from memory.engine.nearness import earliest_first
from memory.engine.ports import Embedding, TemporalStore
from memory.engine.types import Ranked, Search
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
