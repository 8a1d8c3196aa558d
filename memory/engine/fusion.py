"""Fusion of arms into one order with scores in [0, 1].

Arms that have real scores are fused by how those scores are distributed over the pool: each arm's scores are turned
into z-scores over the union of all arms' hits, every member carrying every arm's true score, and added up by weight
(score fusion; see e.g. Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023).
A hit's neighbours within its source then lend it part of theirs (`memory.engine.lending`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.engine.lending import Alike, coherence, lent
from memory.engine.types import Fused, Link, PoolItem, Ranked

Scores = NDArray[np.float64]


class Versioned(Protocol):
    """What has a version."""

    @property
    def version(self) -> UUID:
        """Its version's id."""


H = TypeVar("H", bound=Versioned)

SMOOTHING = 0.75
"""How much of the neighbours' fused score is added to a hit's own (measured on chat: see docs/recall.md)."""
RRF_K = 60


def z_scores(values: Sequence[float | None]) -> Scores:
    """Standard scores over the values that are there; a missing one gets the lowest of them. All 0 without spread."""
    column = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    known = column[~np.isnan(column)]
    if len(known) < 2 or (spread := known.std()) < 1e-9:
        return np.zeros(len(column))
    scores: Scores = (column - known.mean()) / spread
    return np.where(np.isnan(scores), np.nanmin(scores), scores)


def squash(values: Scores) -> Scores:
    """The logistic function: any number to (0, 1), keeping order."""
    squashed: Scores = 1.0 / (1.0 + np.exp(-np.clip(values, -60.0, 60.0)))
    return squashed


def fuse(
    items: Sequence[PoolItem],
    links: Sequence[Link],
    weights: Mapping[str, float],
    smoothing: float = SMOOTHING,
    *,
    rankings: Mapping[str, Sequence[UUID]] | None = None,
    alike: Alike = None,
) -> list[Fused]:
    """The pool, best first; ties keep the order of version ids. `weights` names the arms that count.

    `alike`: cosines between which neighbours lend nothing and all (see `memory.engine.lending`).
    With `rankings` (each arm's versions, best first) the arms are fused by reciprocal rank instead of by score.
    """
    shares = _by_score(items, weights) if rankings is None else _by_rank(items, rankings, weights)
    own: Scores = sum(shares.values(), np.zeros(len(items)))
    versions = [item.version for item in items]
    shares["neighbours"] = smoothing * lent(versions, own, links, alike)
    close = coherence(versions, links, alike)
    columns = {part: column.tolist() for part, column in shares.items()}
    return ordered(
        [
            Fused(
                item.version,
                0.0,
                {part: column[at] for part, column in columns.items() if column[at]},
                {arm: raw for arm, raw in item.scores.items() if raw is not None},
                item.terms,
                close[at],
            )
            for at, item in enumerate(items)
        ]
    )


def ordered(hits: Sequence[Fused]) -> list[Fused]:
    """`hits` with the score that their parts come to, best first."""
    scores = squash(np.array([sum(hit.parts.values()) for hit in hits], dtype=np.float64)).tolist()
    for hit, score in zip(hits, scores, strict=True):
        hit.score = score
    return sorted(hits, key=lambda hit: (-hit.score, hit.version.int))


def by_rank(items: Sequence[PoolItem], found: Mapping[str, Sequence[Ranked]]) -> Sequence[PoolItem]:
    """The pool with a score by rank for arms whose own scores tell nothing: 61 / (60 + rank), 0 for the others."""
    if not found:
        return items
    places = {arm: {hit.version: rank for rank, hit in enumerate(hits, 1)} for arm, hits in found.items()}

    def score(arm: str, version: UUID) -> float:
        rank = places[arm].get(version)
        return (RRF_K + 1) / (RRF_K + rank) if rank else 0.0

    return [replace(item, scores={**item.scores, **{arm: score(arm, item.version) for arm in found}}) for item in items]


def with_floor(hits: Sequence[H], nearest: Sequence[UUID], limit: int) -> list[H]:
    """The first `limit` hits, in which each of `nearest` that is among `hits` has a place.

    Those from further down take the last places, in their order; the list never grows over `limit`.
    """
    kept, wanted = list(hits[:limit]), set(nearest[:limit])
    missing = [hit for hit in hits[limit:] if hit.version in wanted]
    for _ in missing:
        loser = next(at for at in range(len(kept) - 1, -1, -1) if kept[at].version not in wanted)
        del kept[loser]
    return kept + missing


def _by_score(items: Sequence[PoolItem], weights: Mapping[str, float]) -> dict[str, Scores]:
    """Each arm's z-scores over the pool, by its share of the weight."""
    arms = [arm for arm, weight in weights.items() if weight > 0 and any(arm in item.scores for item in items)]
    total = sum(weights[arm] for arm in arms) or 1.0
    return {arm: weights[arm] / total * z_scores([item.scores.get(arm) for item in items]) for arm in arms}


def _by_rank(
    items: Sequence[PoolItem], rankings: Mapping[str, Sequence[UUID]], weights: Mapping[str, float]
) -> dict[str, Scores]:
    """Each arm's reciprocal ranks, moved and scaled together so that their sum is a z-score over the pool."""
    columns: dict[str, Scores] = {}
    for arm, ranking in rankings.items():
        ranks = reciprocal_ranks({arm: ranking}, weights)
        columns[arm] = np.array([ranks.get(item.version, 0.0) for item in items], dtype=np.float64)
    total: Scores = sum(columns.values(), np.zeros(len(items)))
    spread = float(total.std()) if len(items) else 0.0
    if spread < 1e-12:
        return {arm: np.zeros(len(items)) for arm in columns}
    return {arm: (column - column.mean()) / spread for arm, column in columns.items()}


def reciprocal_ranks(rankings: Mapping[str, Sequence[UUID]], weights: Mapping[str, float]) -> dict[UUID, float]:
    """Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): Σ weight / (60 + rank), rank from 1."""
    scores: dict[UUID, float] = defaultdict(float)
    for arm, ranking in rankings.items():
        weight = weights.get(arm, 1.0)
        if weight > 0:
            for rank, version in enumerate(dict.fromkeys(ranking), start=1):
                scores[version] += weight / (RRF_K + rank)
    return dict(scores)
