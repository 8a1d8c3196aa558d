"""What the engine needs of a store. Every call takes the scope; every adapter passes the same contract tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory.engine.dates import Window
from memory.engine.language_model import LanguageModel as LanguageModel
from memory.engine.lexis import Near, Plan
from memory.engine.types import Link, PoolItem, Ranked, Search
from tenants.scope import Scope

Embedding = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """What the words found. `weights`: the inverse document frequency of each matched term in the tenant's own corpus;
    `information`: the sum over all of the query's terms, matched or not. `read_as`: words that were taken as others,
    which stand in what was found. `partial`: time ran out before all candidates were looked at."""

    hits: Sequence[Ranked]
    weights: Mapping[str, float]
    information: float = 0.0
    read_as: Mapping[str, Sequence[str]] = field(default_factory=dict)
    partial: bool = False

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

    def matching(self, scope: Scope, search: Search, terms: Mapping[str, float], count: int) -> LexicalHits:
        """The `count` versions that match `terms` best, best first; each term with how much it counts."""

    def planned(self, scope: Scope, search: Search, plan: Plan, count: int) -> LexicalHits:
        """The `count` versions that are as `plan` says, best first."""

    def alike(self, scope: Scope, words: Sequence[str], count: int) -> Mapping[str, Sequence[Near]]:
        """Up to `count` words within `scope` that each of `words` may have been meant to be, the most alike first."""

    def seen(self, scope: Scope, terms: Sequence[str]) -> set[str]:
        """Those of `terms` that stand in a version within `scope`, whatever its time."""

    def between(self, scope: Scope, gaps: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], Sequence[str]]:
        """What may stand between two characters of a script without spaces."""

    def standing(self, scope: Scope, versions: Sequence[UUID], near: Sequence[Near]) -> set[str]:
        """Those of the words `near` that stand in any of `versions`."""


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
