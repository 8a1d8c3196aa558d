"""One recall under way: what it was asked, what it has found so far, and how long each part took."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

from loci.ground.metrics import DEGRADED, RECALL_SECONDS
from memory.engine.dates import DateReading
from memory.engine.plugins import Found
from memory.engine.ports import Embedding, LexicalHits
from memory.engine.shape import Shape
from memory.engine.tuning import AS_SET, DEFAULTS, Overrides, Tuning
from memory.engine.types import Fused, Ranked, Search
from memory.engine.weighing import arm_weights
from memory.retrievers import dense, lexical, temporal
from memory.services.recalled import Recalled
from tenants.scope import Scope

POOL = 50
"""Hits of each arm that enter the pool, at least."""
RERANKED = 20
"""The best that a reranker reads, at least."""
T = TypeVar("T")
NO_WORDS = LexicalHits([], {})


@dataclass(slots=True)
class Run:
    """One recall under way. `dates`: the time that the query names. `imagined`: by arm, vectors of what a language
    model made of the question; `made`: its words, for the trace."""

    scope: Scope
    search: Search
    answer: Recalled
    shape: Shape
    with_trace: bool = False
    tuning: Tuning = DEFAULTS
    overrides: Overrides = AS_SET
    dates: DateReading | None = None
    embedding: Embedding | None = None
    imagined: dict[str, Sequence[Embedding]] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    outside: dict[str, Sequence[Found]] = field(default_factory=dict)
    """What the operator's own retrievers found, not proven yet."""
    arms: dict[str, Sequence[Ranked]] = field(default_factory=dict)
    words: LexicalHits = NO_WORDS
    timings: dict[str, float] = field(default_factory=dict)
    part: str = "filters"
    left_out: set[str] = field(default_factory=set)
    radius: int = 0
    """How many neighbours on each side are to come with each result."""
    order: Sequence[Fused] = ()
    """All that was fused, in its last order; the results are the first of it."""

    @property
    def weights(self) -> dict[str, float]:
        """How much each arm counts in this recall."""
        dated = temporal.NAME in self.arms
        extra = (self.imagined.keys() | self.outside.keys()) & self.arms.keys()
        return arm_weights(
            self.tuning,
            self.shape,
            strength=self.words.strength,
            dated=dated,
            focused=self.only_dated,
            extra=sorted(extra),
        )

    @property
    def kept(self) -> int:
        """How many of the best are taken along: more than asked for where a reranker reads them."""
        return self.search.limit if self.tuning.rerank == "off" else max(self.search.limit, RERANKED)

    @property
    def remaining(self) -> float:
        """Seconds until the deadline."""
        return self.search.deadline - time.monotonic()

    @property
    def floor(self) -> list[UUID]:
        """The nearest by meaning that must be among the results."""
        return [hit.version for hit in self.arms.get(dense.NAME, ())[: self.tuning.vector_floor]]

    @property
    def only_dated(self) -> bool:
        """Whether nothing but a time was asked for, and something happened then."""
        return self.dates is not None and self.dates.focused and bool(self.arms.get(temporal.NAME))

    def takes(self, arm: str) -> bool:
        """Whether an arm runs: the mode asks for it, it did not fail before, and it counts."""
        asked = {"hybrid": True, "vector": arm == dense.NAME}.get(self.search.mode, arm == lexical.NAME)
        return asked and arm not in self.left_out and self.tuning.weights.get(arm, 1.0) > 0

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
