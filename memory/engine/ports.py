"""What the engine needs of a store. Every call takes the scope; every adapter passes the same contract tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory.engine.types import Neighbour, PoolItem, Ranked, Search
from tenants.scope import Scope

Embedding = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """What the words found, and the weight (inverse document frequency) of each term in the tenant's own corpus."""

    hits: Sequence[Ranked]
    weights: Mapping[str, float]


class VectorStore(Protocol):
    """Nearest neighbours among the versions that `scope` sees from the search's view."""

    def nearest(self, scope: Scope, search: Search, embedding: Embedding, count: int) -> Sequence[Ranked]:
        """The `count` versions nearest to the unit vector `embedding`, by cosine, best first."""


class LexicalStore(Protocol):
    """BM25 among the versions that `scope` sees from the search's view."""

    def matching(self, scope: Scope, search: Search, terms: Sequence[str], count: int) -> LexicalHits:
        """The `count` versions that match `terms` best, best first."""


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
    ) -> tuple[Sequence[PoolItem], Sequence[Neighbour]]:
        """`versions` and the neighbours of `anchors` within their sources, scored."""
