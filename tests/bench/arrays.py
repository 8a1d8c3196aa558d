"""Exact scores of both arms for every question and memory of a dataset, without a database."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loci.local.places import ROOT
from memory.engine.text import analyse, detect_language, query_terms, windows
from memory.engine.text.analysis import with_tags
from memory.engine.tuning import FIELD_WEIGHTS
from memory.stores.embedders.registry import EmbedderConfig, get_embedder
from memory.stores.postgres.bm25 import K1, B
from tests.bench.datasets import Dataset

Array = NDArray[np.float64]
Places = NDArray[np.int64]
VECTORS = ROOT / "var" / "bench" / "vectors"


@dataclass(frozen=True, slots=True)
class Arrays:
    """A dataset scored. All matrices are (questions, memories); `visible` says what the question's moment shows."""

    data: Dataset
    dense: Array
    lexical: Array
    visible: NDArray[np.bool_]
    strength: Array
    """For each question the share of its information that the best hit matches, as the product counts it."""
    information: Array
    """For each question the sum of its terms' inverse document frequencies, known terms or not."""
    terms: Sequence[Mapping[str, float]]
    """For each question its known terms and their inverse document frequencies."""
    postings: Mapping[str, Mapping[int, float]]
    """For each term how often it stands in which memory."""
    vectors: NDArray[np.float32]
    """Each memory's first window."""
    alike: tuple[float, float] | None
    sources: Places
    positions: Places
    kept: dict[Any, Any] = field(default_factory=dict)
    """What rankers worked out about a question and may want again."""


def score(data: Dataset, kind: str, *, k1: float = K1, b: float = B) -> Arrays:
    """Exact scores of every memory for every question."""
    names = {source: at for at, source in enumerate(dict.fromkeys(each.source for each in data.memories))}
    read = words(data, k1, b)
    dense, vectors = meaning(data, kind)
    visible = np.array([[each.holds(asked.as_of or asked.now) for each in data.memories] for asked in data.questions])
    # what stands in no source has no neighbours
    sources = [names[each.source] if each.source else -1 - at for at, each in enumerate(data.memories)]
    best = np.where(visible, read.scores, 0.0).max(axis=1, initial=0.0)
    return Arrays(
        data,
        dense,
        read.scores,
        visible,
        np.divide(best, read.information, out=np.zeros_like(best), where=read.information > 0),
        read.information,
        read.terms,
        read.postings,
        vectors,
        getattr(get_embedder(EmbedderConfig(kind)), "alike", None),
        np.array(sources),
        np.array([each.position for each in data.memories]),
    )


def meaning(data: Dataset, kind: str) -> tuple[Array, NDArray[np.float32]]:
    """Cosine of each memory's best window with each question; the vectors of first windows."""
    embedder = get_embedder(EmbedderConfig(kind))
    pieces = [(at, text) for at, each in enumerate(data.memories) for _, text in windows(each.text, embedder.max_chars)]
    vectors = _kept(kind, "documents", [text for _, text in pieces], embedder.embed_documents)
    asked = [each.text for each in data.questions]
    queries = _kept(kind, "queries", asked, lambda texts: np.stack([embedder.embed_query(text) for text in texts]))
    dense = np.full((len(data.questions), len(data.memories)), -np.inf)
    np.maximum.at(dense.T, [at for at, _ in pieces], (queries @ vectors.T).T.astype(np.float64))
    first = {at: piece for piece, (at, _) in reversed(list(enumerate(pieces)))}
    return dense, vectors[[first[at] for at in range(len(data.memories))]]


def _kept(kind: str, role: str, texts: Sequence[str], embed: Callable[[list[str]], Any]) -> NDArray[np.float32]:
    """The vectors of `texts`; those that were ever made before come from a file."""
    file = VECTORS / f"{kind}-{role}.npz"
    known: dict[str, Any] = {}
    if file.exists():
        with np.load(file) as kept:
            known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))
    digests = [hashlib.sha256(text.encode()).hexdigest()[:24] for text in texts]
    if fresh := {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}:
        known |= zip(fresh, embed(list(fresh.values())), strict=True)
        VECTORS.mkdir(parents=True, exist_ok=True)
        np.savez(file, texts=np.array(list(known)), vectors=np.stack(list(known.values())))
    return np.stack([known[digest] for digest in digests])


@dataclass(frozen=True, slots=True)
class Words:
    """What `words` tells: see `Arrays`."""

    scores: Array
    information: Array
    terms: Sequence[Mapping[str, float]]
    postings: Mapping[str, Mapping[int, float]]


def words(data: Dataset, k1: float = K1, b: float = B) -> Words:
    """BM25 with the tenant's own statistics."""
    lengths = np.zeros(len(data.memories))
    postings: dict[str, dict[int, float]] = defaultdict(dict)
    for at, each in enumerate(data.memories):
        language = detect_language(each.text)
        analysis = with_tags(analyse(each.text, language), each.tags, language)
        lengths[at] = analysis.length
        for term in analysis.everything():
            tagged = FIELD_WEIGHTS["tags"] * analysis.tags.get(term, 0)
            postings[term][at] = FIELD_WEIGHTS["text"] * analysis.terms.get(term, 0) + tagged
    norm = k1 * (1 - b + b * lengths / max(lengths.mean(), 1.0))
    scores, information = np.zeros((len(data.questions), len(lengths))), np.zeros(len(data.questions))
    terms: list[dict[str, float]] = [{} for _ in data.questions]
    for row, asked in enumerate(data.questions):
        for term in query_terms(asked.text, detect_language(asked.text)):
            found = postings.get(term, {})
            weight = float(np.log(1 + (len(lengths) - len(found) + 0.5) / (len(found) + 0.5)))
            information[row] += weight
            if found:
                terms[row][term] = weight
                at, counts = np.array(list(found)), np.array(list(found.values()), float)
                scores[row, at] += weight * counts * (k1 + 1) / (counts + norm[at])
    return Words(scores, information, terms, postings)
