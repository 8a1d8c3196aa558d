"""Try fusion constants on LoCoMo without a database: arms and pools as exact arrays. Not part of the benchmark.

    LOCOMO_FILE=… python -m tests.bench.tune [minilm minilm-l3 static]

Every conversation is a tenant of its own. Per BM25 setting and radius each question's pool is built once, as
recall builds it (the first 50 of each arm, plus what stands next to them); all fusion variants are then evaluated
on it at once.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.engine.text import analyse, detect_language, query_terms, windows
from memory.stores.embedders.registry import EmbedderConfig, get_embedder
from tests.bench.conversations import CUTS, SCORED, Conversation, load

Array = NDArray[np.float64]
Key = tuple[object, ...]
NORMS = ("z-score", "min-max")
WEIGHTS = {"1:1": (0.5, 0.5), "1:1.5": (0.4, 0.6), "1.5:1": (0.6, 0.4), "0.7:1.3": (0.35, 0.65)}
SMOOTHING = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
LENDING = ("all", "positive", "squashed")
BM25 = tuple(product((0.6, 0.9, 1.2), (0.2, 0.4, 0.75)))
RADII = (1, 2, 3)
POOL = 50
DECAY = 0.5


@dataclass(frozen=True, slots=True)
class Matrix:
    """One conversation: dense scores (questions, turns), and term counts to score BM25 from."""

    dense: Array
    counts: Sequence[Array]
    """For each question the counts of its terms, (terms, turns)."""
    lengths: Array
    sessions: NDArray[np.int64]
    places: NDArray[np.int64]
    gold: Sequence[NDArray[np.int64]]
    categories: Sequence[int]


def matrix(conversation: Conversation, kind: str) -> Matrix:
    """All that the variants need of a conversation."""
    embedder = get_embedder(EmbedderConfig(kind))
    turns, questions = conversation.turns, conversation.questions
    pieces = [(at, text) for at, turn in enumerate(turns) for _, text in windows(turn.text, embedder.max_chars)]
    vectors = embedder.embed_documents([text for _, text in pieces])
    queries = np.stack([embedder.embed_query(question.text) for question in questions])
    dense = np.full((len(questions), len(turns)), -np.inf)
    np.maximum.at(dense.T, [at for at, _ in pieces], (queries @ vectors.T).T.astype(np.float64))
    analyses = [analyse(turn.text, detect_language(turn.text)) for turn in turns]
    terms = [query_terms(question.text, detect_language(question.text)) for question in questions]
    counts = [np.array([[a.terms.get(t, 0) for a in analyses] for t in found], float) for found in terms]
    names = {turn.session: number for number, turn in enumerate(turns)}
    at = {turn.key: number for number, turn in enumerate(turns)}
    return Matrix(
        dense,
        counts,
        np.array([analysis.length for analysis in analyses], float),
        np.array([names[turn.session] for turn in turns]),
        np.array([turn.at for turn in turns]),
        [np.array([at[key] for key in question.gold]) for question in questions],
        [question.category for question in questions],
    )


def bm25(data: Matrix, question: int, k1: float, b: float) -> Array:
    """BM25 of every turn with the conversation's own statistics."""
    counts = data.counts[question]
    if not counts.size:
        return np.zeros(len(data.lengths))
    found = (counts > 0).sum(axis=1)[:, None]
    weight = np.log(1 + (len(data.lengths) - found + 0.5) / (found + 0.5))
    norm = k1 * (1 - b + b * data.lengths / max(data.lengths.mean(), 1.0))
    scores: Array = (weight * counts * (k1 + 1) / (counts + norm)).sum(axis=0)
    return scores


def beside(data: Matrix, left: NDArray[np.int64], right: NDArray[np.int64]) -> Array:
    """Places between turns of one session, (left, right); infinite across sessions."""
    gap = np.abs(data.places[left][:, None] - data.places[right][None, :]).astype(float)
    gap[data.sessions[left][:, None] != data.sessions[right][None, :]] = np.inf
    return gap


def pooled(
    data: Matrix, question: int, lexical: Array, radius: int, size: int, decay: float
) -> tuple[NDArray[np.int64], Array, Array]:
    """The pool's turns, both arms' scores of them (2, pool), and how much of its score each lends each (pool, pool)."""
    dense = data.dense[question]
    matched = np.flatnonzero(lexical > 0)
    first = matched[np.argsort(-lexical[matched], kind="stable")[:size]]
    anchors = np.union1d(np.argsort(-dense, kind="stable")[:size], first)
    near = beside(data, anchors, np.arange(len(dense))) <= radius
    pool = np.flatnonzero(near.any(axis=0))
    inside = near[:, pool].astype(np.float32)
    gap = beside(data, pool, pool)
    linked = (inside.T @ inside > 0) & (gap > 0) & (gap <= radius)
    lend = np.where(linked, decay ** np.where(linked, gap, 0), 0.0)
    return pool, np.stack([dense[pool], lexical[pool]]), lend


def normalised(arms: Array, norm: str) -> Array:
    """Each arm over the pool: standard scores, or 0 to 1."""
    low, spread = (
        (arms.mean(axis=1), arms.std(axis=1)) if norm == "z-score" else (arms.min(axis=1), np.ptp(arms, axis=1))
    )
    scaled: Array = (arms - low[:, None]) / np.where(spread > 1e-9, spread, np.inf)[:, None]
    return scaled


def lent(own: Array, lend: Array, lending: str) -> tuple[Array, Array]:
    """(own score, what the neighbours lend); `squashed` squashes before lending, the others' squash keeps order."""
    if lending == "positive":
        return own, np.maximum(own, 0) @ lend
    if lending == "squashed":
        own = 1 / (1 + np.exp(-own))
    return own, own @ lend


def recalls(scores: Array, pool: NDArray[np.int64], gold: NDArray[np.int64]) -> Array:
    """Evidence recall at CUTS for every variant: (..., cuts)."""
    found = np.zeros((*scores.shape[:-1], len(CUTS)))
    for turn in gold:
        (at,) = np.nonzero(pool == turn)
        if at.size:
            mine = scores[..., at[0], None]
            rank = 1 + (scores > mine).sum(axis=-1) + (scores[..., : at[0]] == mine).sum(axis=-1)
            found += rank[..., None] <= np.array(CUTS)
    return found / len(gold)


def variants(data: Matrix, question: int, settings: tuple[float, float], radius: int) -> Array:
    """Recall of one question for all variants on one pool: (norm, weights, lending, smoothing, cuts)."""
    pool, arms, lend = pooled(data, question, bm25(data, question, *settings), radius, POOL, DECAY)
    shares = np.array(list(WEIGHTS.values()))
    fused = []
    for norm in NORMS:
        own = shares @ normalised(arms, norm)
        ways = [lent(own, lend, lending) for lending in LENDING]
        fused.append(np.stack([mine[:, None] + SMOOTHING[:, None] * theirs[:, None] for mine, theirs in ways], axis=1))
    return recalls(np.stack(fused), pool, data.gold[question])


def sweep(matrices: Sequence[Matrix]) -> tuple[Array, NDArray[np.int64]]:
    """Recalls (bm25, radius, norm, weights, lending, smoothing, question, cuts), and the questions' categories."""
    asked = [(data, question) for data in matrices for question in range(len(data.gold))]
    table = np.array(
        [
            [[variants(data, question, settings, radius) for data, question in asked] for radius in RADII]
            for settings in BM25
        ]
    )
    return np.moveaxis(table, 2, -2), np.array([data.categories[question] for data, question in asked])


def labels() -> Iterator[Key]:
    """The variants in the order of `sweep`'s first axes."""
    return product(BM25, RADII, NORMS, WEIGHTS, LENDING, SMOOTHING.tolist())


def main(kinds: Sequence[str]) -> None:
    """Sweep each embedder; print its best variants and leave the table for a closer look."""
    conversations = load(Path(os.environ["LOCOMO_FILE"]))
    for kind in kinds:
        table, categories = sweep([matrix(conversation, kind) for conversation in conversations])
        flat = table[..., np.isin(categories, SCORED), :].mean(axis=-2).reshape(-1, len(CUTS))
        names = list(labels())
        print(f"\n{kind}: R@1 R@5 R@10 R@25, categories 1–4; bm25 (k1, b), radius, norm, weights, lending, smoothing")
        for at in np.lexsort((-flat[:, 0], -flat[:, 2]))[:15]:
            print("  " + "  ".join(f"{value:.3f}" for value in flat[at]), names[at])
        if folder := os.environ.get("TUNE_SAVE"):
            np.savez(Path(folder) / f"tune-{kind}.npz", table=table.astype(np.float32), categories=categories)


if __name__ == "__main__":
    main(sys.argv[1:] or ["minilm", "minilm-l3", "static"])
