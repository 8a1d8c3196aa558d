"""What the parts of a recall hand to each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.engine.filters import Filter


@dataclass(frozen=True, slots=True)
class View:
    """The time from which memory is looked at. All None: what is believed now to hold now.

    `valid_at` and `known_at` are the two clocks. `include_invalidated` also shows what was retracted, whatever its
    validity; `ignore_invalidation` shows what was retracted if it held at `valid_at` (the seed's `as_of`).
    """

    valid_at: datetime | None = None
    known_at: datetime | None = None
    include_invalidated: bool = False
    ignore_invalidation: bool = False

    @property
    def is_now(self) -> bool:
        """Whether this is the plain present."""
        return self == NOW


NOW = View()


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for: `limit` results, from `view`, that pass `filters`; `deadline` on time.monotonic()'s clock.

    `mode` is one of `memory.engine.tuning.MODES`.
    """

    text: str
    limit: int
    deadline: float
    view: View = NOW
    filters: Filter | None = None
    mode: str = "hybrid"


@dataclass(frozen=True, slots=True)
class Ranked:
    """One version found by an arm, with the arm's own score (higher is better)."""

    version: UUID
    score: float


@dataclass(frozen=True, slots=True)
class PoolItem:
    """A version in the pool with the true score of every arm, found by that arm or not; None: the arm has none.

    `terms` are the query's terms that stand in it.
    """

    version: UUID
    scores: Mapping[str, float | None]
    terms: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """`version` stands `distance` places after (+) or before (-) `anchor` in the same source."""

    anchor: UUID
    version: UUID
    distance: int


@dataclass(frozen=True, slots=True)
class Link:
    """Two members of the pool that stand `distance` places apart (1 or 2) in one source, the left one first.

    `likeness` is the cosine of their vectors; None where one has none.
    """

    left: UUID
    right: UUID
    distance: int
    likeness: float | None = None


@dataclass(slots=True)
class Fused:
    """A version's place: `score` in [0, 1].

    `parts` is what each arm, the neighbours and each stage contributed: their sum is the score's log-odds.
    `raw` is each arm's own score, `terms` the query's terms that stand in it.
    `coherence`, 0 to 1: how far it speaks of the same thing as its neighbours in the pool; 0 without any.
    """

    version: UUID
    score: float
    parts: dict[str, float] = field(default_factory=dict)
    raw: dict[str, float] = field(default_factory=dict)
    terms: frozenset[str] = frozenset()
    coherence: float = 0.0


@dataclass(frozen=True, slots=True)
class Record:
    """A version as answers show it."""

    id: UUID
    version: UUID
    text: str
    payload: Mapping[str, Any]
