"""Fusion of arms into one order with scores in [0, 1].

Arms that have real scores are fused by how those scores are distributed over the pool: each arm's scores are turned
into z-scores over the union of all arms' hits, every member carrying every arm's true score, and added up by weight
(score fusion; see e.g. Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023).
A hit's neighbours within its source then lend it part of theirs, halved per place of distance.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from uuid import UUID

from memory.engine.types import Fused, Neighbour, PoolItem

SMOOTHING = 0.5
"""How much of the neighbours' fused score is added to a hit's own (measured on chat: see docs/retrieval.md)."""
RADIUS = 2
RRF_K = 60


def z_scores(values: Sequence[float | None]) -> list[float]:
    """Standard scores over the values that are there; a missing one gets the lowest of them. All 0 without spread."""
    known = [value for value in values if value is not None]
    if len(known) < 2 or (spread := pstdev(known)) < 1e-9:
        return [0.0] * len(values)
    mean = fmean(known)
    lowest = (min(known) - mean) / spread
    return [lowest if value is None else (value - mean) / spread for value in values]


def squash(value: float) -> float:
    """The logistic function: any number to (0, 1), keeping order."""
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, value))))


def fuse(
    items: Sequence[PoolItem],
    neighbours: Sequence[Neighbour],
    weights: Mapping[str, float],
    smoothing: float = SMOOTHING,
) -> list[Fused]:
    """The pool, best first. `weights` names the arms that count; ties keep the order of version ids."""
    arms = [arm for arm, weight in weights.items() if weight > 0]
    total = sum(weights[arm] for arm in arms) or 1.0
    columns = {arm: z_scores([item.scores.get(arm) for item in items]) for arm in arms}
    parts: dict[UUID, dict[str, float]] = {
        item.version: {arm: weights[arm] / total * columns[arm][at] for arm in arms} for at, item in enumerate(items)
    }
    own = {version: sum(scores.values()) for version, scores in parts.items()}
    lent = _lent(own, neighbours)
    fused = []
    for item in items:
        context = smoothing * lent.get(item.version, 0.0)
        shares = {**parts[item.version], **({"neighbours": context} if context else {})}
        raw = {arm: score for arm, score in item.scores.items() if score is not None}
        fused.append(Fused(item.version, squash(own[item.version] + context), shares, raw))
    return sorted(fused, key=lambda hit: (-hit.score, hit.version))


def _lent(own: Mapping[UUID, float], neighbours: Sequence[Neighbour]) -> dict[UUID, float]:
    """What each version's neighbours lend it: their own score, halved per place of distance."""
    lent: dict[UUID, float] = defaultdict(float)
    for (left, right), distance in _pairs(neighbours).items():
        if left in own and right in own:
            lent[left] += own[right] / 2**distance
            lent[right] += own[left] / 2**distance
    return lent


def _pairs(neighbours: Sequence[Neighbour]) -> dict[tuple[UUID, UUID], int]:
    """Every pair of versions at most RADIUS places apart that the windows around the anchors tell of."""
    windows: dict[UUID, list[tuple[int, UUID]]] = defaultdict(list)
    for near in neighbours:
        windows[near.anchor].append((near.distance, near.version))
    pairs: dict[tuple[UUID, UUID], int] = {}
    for anchor, window in windows.items():
        places = [(0, anchor), *window]
        for at, (here, left) in enumerate(places):
            for there, right in places[at + 1 :]:
                if 0 < (gap := abs(here - there)) <= RADIUS:
                    pairs[(left, right) if left < right else (right, left)] = gap
    return pairs


def reciprocal_ranks(rankings: Mapping[str, Sequence[UUID]], weights: Mapping[str, float]) -> dict[UUID, float]:
    """Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): Σ weight / (60 + rank), rank from 1."""
    scores: dict[UUID, float] = defaultdict(float)
    for arm, ranking in rankings.items():
        weight = weights.get(arm, 1.0)
        if weight > 0:
            for rank, version in enumerate(dict.fromkeys(ranking), start=1):
                scores[version] += weight / (RRF_K + rank)
    return dict(scores)
