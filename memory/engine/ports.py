"""What the engine needs of a store. Every call takes the scope; every adapter passes the same contract tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory.engine.dates import Window
from memory.engine.language_model import LanguageModel as LanguageModel
from memory.engine.types import Link, PoolItem, Ranked, Search
from tenants.scope import Scope

Embedding = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """What the words found. `weights`: the inverse document frequency of each matched term in the tenant's own corpus;
    `information`: the sum over all of the query's terms, matched or not."""

    hits: Sequence[Ranked]
    weights: Mapping[str, float]
    information: float = 0.0

    @property
    def strength(self) -> float:
        """About which share of what the query says the best hit matches: 0 to a little over 1."""
        return self.hits[0].score / self.information if self.hits and self.information else 0.0


class VectorStore(Protocol):
    """Nearest neighbours among the versions that `scope` sees from the search's view."""

    def nearest(self, scope: Scope, search: Search, embedding: Embedding, count: int) -> Sequence[Ranked]:
        """The `count` versions nearest to the unit vector `embedding`, by cosine, best first."""


class LexicalStore(Protocol):
    """BM25 among the versions that `scope` sees from the search's view."""

    def matching(self, scope: Scope, search: Search, terms: Sequence[str], count: int) -> LexicalHits:
        """The `count` versions that match `terms` best, best first."""


class TemporalStore(Protocol):
    """What happened in given windows among the versions that `scope` sees from the search's view."""

    def in_windows(
        self, scope: Scope, search: Search, windows: Sequence[Window], count: int, *, ascending: bool
    ) -> Sequence[Ranked]:
        """`count` versions in the order of time."""

    def nearest_in_windows(
        self, scope: Scope, search: Search, windows: Sequence[Window], embedding: Embedding, count: int
    ) -> Sequence[Ranked]:
        """The `count` versions nearest to `embedding`, by cosine, best first."""

    def moments(self, scope: Scope, versions: Sequence[UUID]) -> Mapping[UUID, datetime]:
        """The event time of each of `versions` that has one."""


class PoolStore(Protocol):
    """Completes the arms' hits to a pool in which every member has every arm's true score."""

    def complete(
        self,
        scope: Scope,
        search: Search,
        versions: Sequence[UUID],
        anchors: Sequence[UUID],
        embedding: Embedding | None,
        weights: Mapping[str, float],
    ) -> tuple[Sequence[PoolItem], Sequence[Link]]:
        """`versions` and the neighbours of `anchors` within their sources, scored, and what links them."""
