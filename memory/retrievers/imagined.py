"""Arms that go by what a language model made of the question: a note that might answer it, other ways to ask it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from memory.engine.ports import Embedding, VectorStore
from memory.engine.types import PoolItem, Ranked, Search
from tenants.scope import Scope

HYDE = "hyde"
EXPANSION = "expansion"


def retrieve(
    store: VectorStore, scope: Scope, search: Search, vectors: Sequence[Embedding], count: int
) -> Sequence[Ranked]:
    """The `count` versions nearest to any of `vectors`, each with its best cosine."""
    best: dict[UUID, float] = {}
    for vector in vectors:
        for hit in store.nearest(scope, search, vector, count):
            best[hit.version] = max(hit.score, best.get(hit.version, hit.score))
    ranked = sorted(best, key=lambda version: (-best[version], version.int))
    return [Ranked(version, best[version]) for version in ranked[:count]]


def scored(items: Sequence[PoolItem], found: Mapping[str, Sequence[Ranked]]) -> Sequence[PoolItem]:
    """The pool with the scores of these arms; who was not found by one has none of it."""
    if not found:
        return items
    by_arm = {arm: {hit.version: hit.score for hit in hits} for arm, hits in found.items()}
    return [
        replace(item, scores={**item.scores, **{arm: scores.get(item.version) for arm, scores in by_arm.items()}})
        for item in items
    ]
