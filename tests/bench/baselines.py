"""What the product must beat, from the same scores: BM25, dense, their rank fusion, and the product as it once was."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.engine.fusion import reciprocal_ranks
from memory.engine.types import Neighbour, PoolItem
from tests.bench.arrays import Array, Arrays, Places

Ranker = Callable[[Arrays, int], Sequence[int]]
"""Numbers of memories, best first, for the question of that number."""
LIMIT = 25
HITS, ANCHORS, RADIUS = 50, 30, 2
"""Of the baselines, whatever the product's are: hits of each arm, those that are asked for their neighbours, places."""


def order(scores: Array, visible: NDArray[np.bool_], count: int, least: float = -np.inf) -> list[int]:
    """The best visible memories whose score is over `least`."""
    shown = np.where(visible, scores, -np.inf)
    best = np.argsort(-shown, kind="stable")[:count]
    return [int(at) for at in best if shown[at] > least]


def arms(every: Arrays, row: int, count: int = HITS) -> dict[str, list[int]]:
    """What each arm finds, best first."""
    return {
        "dense": order(every.dense[row], every.visible[row], count),
        "lexical": order(every.lexical[row], every.visible[row], count, 0.0),
    }


def pool(
    every: Arrays, row: int, found: Mapping[str, Sequence[int]], *, anchors: int = ANCHORS, radius: int = RADIUS
) -> tuple[list[PoolItem], list[Neighbour]]:
    """The arms' hits and the neighbours of the best of them, as the product completes its pool."""
    members = list(dict.fromkeys(at for hits in found.values() for at in hits))
    ranks = reciprocal_ranks({arm: [UUID(int=at) for at in hits] for arm, hits in found.items()}, {})
    first = sorted(ranks, key=lambda version: (-ranks[version], version.int))[:anchors]
    near = [near for anchor in first for near in _near(every, row, anchor.int, radius)]
    members = list(dict.fromkeys([*members, *(each.version.int for each in near)]))
    dense, lexical = every.dense[row], every.lexical[row]
    items = [
        PoolItem(
            UUID(int=at),
            {"dense": float(dense[at]), "lexical": float(lexical[at])},
            frozenset(term for term in every.terms[row] if at in every.postings[term]),
        )
        for at in members
    ]
    return items, near


def _near(every: Arrays, row: int, anchor: int, radius: int) -> list[Neighbour]:
    (same,) = np.nonzero((every.sources == every.sources[anchor]) & every.visible[row])
    same = same[np.argsort(every.positions[same], kind="stable")]
    here = int(np.flatnonzero(same == anchor)[0])
    around = range(max(0, here - radius), min(len(same), here + radius + 1))
    return [Neighbour(UUID(int=anchor), UUID(int=int(same[at])), at - here) for at in around if at != here]


def _lent(every: Arrays, row: int, members: Places, own: Array) -> Array:
    """Half of the score of each pool member one place away, a quarter of those two places away."""
    gap = np.abs(every.positions[members][:, None] - every.positions[members][None, :])
    linked = (every.sources[members][:, None] == every.sources[members][None, :]) & (gap > 0) & (gap <= RADIUS)
    lent: Array = np.where(linked, 0.5 ** np.where(linked, gap, 1), 0.0) @ own
    return lent


def plain(arm: str) -> Ranker:
    """One arm alone: `dense` or `lexical` (BM25)."""
    return lambda every, row: arms(every, row)[arm][:LIMIT]


def rrf(every: Arrays, row: int) -> list[int]:
    """Reciprocal rank fusion (60) of both arms' first 50."""
    found = arms(every, row)
    ranks: dict[int, float] = defaultdict(float)
    for hits in found.values():
        for at, hit in enumerate(hits, 1):
            ranks[hit] += 1 / (60 + at)
    return sorted(ranks, key=lambda hit: (-ranks[hit], hit))[:LIMIT]


def frozen(every: Arrays, row: int) -> list[int]:
    """z-score fusion with ±2 smoothing, as the product had it before this was measured. Written out here so that it
    stays what it was: weights 1:1, the lexical one falling with its match below 0.7, 0.75 of the neighbours' score."""
    found = arms(every, row)
    members = np.array([item.version.int for item in pool(every, row, found)[0]], dtype=np.int64)
    shares = {"dense": 1.0, "lexical": min(1.0, float(every.strength[row]) / 0.7)}
    own = np.zeros(len(members))
    for arm, share in shares.items():
        column = (every.dense if arm == "dense" else every.lexical)[row][members]
        if column.std() > 1e-9:
            own += share / sum(shares.values()) * (column - column.mean()) / column.std()
    total = own + 0.75 * _lent(every, row, members, own)
    return [int(members[at]) for at in np.argsort(-total, kind="stable")[:LIMIT]]


BASELINES: Mapping[str, Ranker] = {
    "BM25": plain("lexical"),
    "dense": plain("dense"),
    "RRF(60)": rrf,
    "z-score ±2": frozen,
}
