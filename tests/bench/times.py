"""The temporal arm's store, on arrays."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.engine.dates import Window
from memory.engine.types import Ranked
from tests.bench.arrays import Arrays


class Times:
    """What happened when among the memories that question `row` sees; scope, search and embedding are its own."""

    def __init__(self, every: Arrays, row: int) -> None:
        self.every, self.row = every, row

    def in_windows(
        self, scope: Any, search: Any, windows: Sequence[Window], count: int, *, ascending: bool
    ) -> list[Ranked]:
        """`count` versions in the order of time; their score falls from 1."""
        found = sorted(self._inside(windows), key=lambda each: (each[1], each[0]), reverse=not ascending)[:count]
        return [Ranked(UUID(int=at), 1.0 - rank / len(found)) for rank, (at, _) in enumerate(found)]

    def nearest_in_windows(
        self, scope: Any, search: Any, windows: Sequence[Window], embedding: Any, count: int
    ) -> list[Ranked]:
        """The `count` versions nearest by meaning."""
        dense = self.every.dense[self.row]
        found = sorted(self._inside(windows), key=lambda each: (-dense[each[0]], -each[1].timestamp()))[:count]
        return [Ranked(UUID(int=at), float(dense[at])) for at, _ in found]

    def moments(self, scope: Any, versions: Sequence[UUID]) -> dict[UUID, datetime]:
        """The event time of each of `versions` that has one."""
        memories = self.every.data.memories
        return {version: moment for version in versions if (moment := memories[version.int].event_at)}

    def _inside(self, windows: Sequence[Window]) -> list[tuple[int, datetime]]:
        visible = self.every.visible[self.row]
        dated = [(at, each.event_at) for at, each in enumerate(self.every.data.memories) if each.event_at]
        return [(at, moment) for at, moment in dated if visible[at] and any(each.holds(moment) for each in windows)]
