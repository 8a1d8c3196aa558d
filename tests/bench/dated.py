"""The temporal arm on exact arrays, as `memory/retrievers/temporal.py` and its store do it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from uuid import UUID

import numpy as np

from memory.engine.dates import DateReading, read_dates
from memory.engine.nearness import earliest_first, in_order, nearness
from memory.engine.types import PoolItem
from tests.bench.arrays import Arrays

NAME = "temporal"


def dates_of(every: Arrays, row: int) -> DateReading | None:
    """The time that a question names."""
    asked = every.data.questions[row]
    return read_dates(asked.text, now=asked.as_of or asked.now, zone=UTC)


def inside(every: Arrays, row: int, dates: DateReading, count: int) -> list[int]:
    """What lies within the windows: nearest by meaning, or in the order of time where nothing else is asked for."""
    times = {at: each.event_at for at, each in enumerate(every.data.memories) if each.event_at}
    found = [at for at, when in times.items() if every.visible[row][at] and nearness(dates.windows, when) == 1.0]
    if dates.focused:
        found.sort(key=lambda at: times[at], reverse=not earliest_first(dates.windows))
        return found[:count]
    best = np.argsort(-every.dense[row][found], kind="stable")[:count]
    return [found[at] for at in best]


def scored(every: Arrays, items: Sequence[PoolItem], dates: DateReading, *, only_dated: bool) -> list[PoolItem]:
    """The pool with how near each member lies to the windows."""
    known = {item.version: every.data.memories[item.version.int].event_at for item in items}
    times = {version: when for version, when in known.items() if when}
    near: dict[UUID, float]
    if only_dated:
        near = in_order(dates.windows, times)
    else:
        near = {version: nearness(dates.windows, when) for version, when in times.items()}
    return [replace(item, scores={**item.scores, NAME: near.get(item.version, 0.0)}) for item in items]
