"""Recall's ranking in process, on exact arrays: LoCoMo and the sets of one's own, without a database or HTTP.

    LOCOMO_FILE=… python -m tests.bench.offline [--embedder minilm] [--seed 7] [fusion=rrf stages.freshness=1 …]

prints, for every set, the product with its defaults, with what is given, and the baselines. Embeddings are kept in
var/bench/vectors/. In code:

    >>> every = arrays("minilm")                        # a list of Arrays, one for each tenant
    >>> print(table(every, {"default": product(), "rrf": product(fusion="rrf"), "mine": my_ranker}))

A ranker takes (Arrays, number of the question) and gives memories' numbers, best first.
"""

import argparse
import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from loci.local.places import ROOT
from memory.engine import stages
from memory.engine.fusion import RADIUS, fuse, reciprocal_ranks, with_floor
from memory.engine.shape import identifiers, shape_of
from memory.engine.stages import Asked, Candidate
from memory.engine.text import analyse, detect_language, query_terms, windows
from memory.engine.tuning import DEFAULTS, Overrides
from memory.engine.types import Neighbour, PoolItem, Record
from memory.engine.weighing import arm_weights
from memory.stores.embedders.registry import EmbedderConfig, get_embedder
from tests.bench import sets
from tests.bench.conversations import load

Array = NDArray[np.float64]
Places = NDArray[np.int64]
Ranker = Callable[["Arrays", int], Sequence[int]]
VECTORS = ROOT / "var" / "bench" / "vectors"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""When the questions are asked that name no moment."""
K1, B = 0.9, 0.4
POOL, ANCHORS, STAGED, LIMIT = 50, 30, 50, 25


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory: `position` is its place in `source`, `metadata` what a filter would see."""

    text: str
    source: str
    position: int
    event_at: datetime | None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    def holds(self, moment: datetime) -> bool:
        """Whether it is valid in the world at `moment`."""
        begun = self.valid_from is None or self.valid_from <= moment
        return begun and (self.valid_to is None or moment < self.valid_to)


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `gold` and `below` (which must stand lower) are numbers of memories."""

    text: str
    category: str
    language: str
    gold: tuple[int, ...]
    below: int | None = None
    as_of: datetime | None = None
    now: datetime = NOW


@dataclass(frozen=True, slots=True)
class Dataset:
    """What one tenant holds and is asked."""

    name: str
    memories: Sequence[Memory]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Arrays:
    """A dataset scored. All matrices are (questions, memories); `visible` says what the question's moment shows."""

    data: Dataset
    dense: Array
    lexical: Array
    visible: NDArray[np.bool_]
    strength: Array
    """For each question the share of its information that the best hit matches, as the product counts it."""
    sources: Places
    positions: Places


def datasets(*, seed: int = sets.FROZEN, locomo: bool = True) -> list[Dataset]:
    """The mixed whole of one's own sets, and each conversation of LOCOMO_FILE if that is set."""
    found = [mixed(seed)]
    if locomo and (file := os.environ.get("LOCOMO_FILE")):
        found += [_conversation(each) for each in load(Path(file))]
    return found


def mixed(seed: int = sets.FROZEN) -> Dataset:
    """The sets of one's own as one tenant; the categories are their names."""
    drawn = sets.build(seed)
    number = {id(memory): at for at, memory in enumerate(drawn.memories)}
    memories = [
        Memory(each.text, each.source, each.at, each.moment, {"tags": each.tags}, each.valid_from, each.valid_to)
        for each in drawn.memories
    ]
    questions = [
        Question(
            each.text,
            each.set,
            each.language,
            (number[id(each.gold)],),
            number[id(each.below)] if each.below else None,
            each.as_of,
        )
        for each in drawn.questions
    ]
    return Dataset("mixed", memories, questions)


def _conversation(conversation: Any) -> Dataset:
    number = {turn.key: at for at, turn in enumerate(conversation.turns)}
    memories = [Memory(turn.text, turn.session, turn.at, turn.moment) for turn in conversation.turns]
    questions = [
        Question(each.text, f"locomo {each.category}", "en", tuple(number[key] for key in each.gold))
        for each in conversation.questions
    ]
    return Dataset(conversation.name, memories, questions)


def arrays(kind: str = "minilm", *, seed: int = sets.FROZEN, locomo: bool = True) -> list[Arrays]:
    """Every dataset scored by both arms; a minute the first time, seconds from then on."""
    return [score(data, kind) for data in datasets(seed=seed, locomo=locomo)]


def score(data: Dataset, kind: str) -> Arrays:
    """Exact scores of every memory for every question."""
    names = {source: at for at, source in enumerate(dict.fromkeys(each.source for each in data.memories))}
    lexical, strength = words(data)
    visible = np.array([[each.holds(asked.as_of or asked.now) for each in data.memories] for asked in data.questions])
    # what stands in no source has no neighbours
    sources = [names[each.source] if each.source else -1 - at for at, each in enumerate(data.memories)]
    best = np.where(visible, lexical, 0.0).max(axis=1, initial=0.0)
    return Arrays(
        data,
        meaning(data, kind),
        lexical,
        visible,
        best * strength,
        np.array(sources),
        np.array([each.position for each in data.memories]),
    )


def meaning(data: Dataset, kind: str) -> Array:
    """Cosine of each memory's best window with each question."""
    embedder = get_embedder(EmbedderConfig(kind))
    pieces = [(at, text) for at, each in enumerate(data.memories) for _, text in windows(each.text, embedder.max_chars)]
    vectors = _kept(kind, "documents", [text for _, text in pieces], embedder.embed_documents)
    asked = [each.text for each in data.questions]
    queries = _kept(kind, "queries", asked, lambda texts: np.stack([embedder.embed_query(text) for text in texts]))
    dense = np.full((len(data.questions), len(data.memories)), -np.inf)
    np.maximum.at(dense.T, [at for at, _ in pieces], (queries @ vectors.T).T.astype(np.float64))
    return dense


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


def words(data: Dataset) -> tuple[Array, Array]:
    """BM25 with the tenant's own statistics, and 1 / information of each question (0 without terms)."""
    lengths = np.zeros(len(data.memories))
    postings: dict[str, dict[int, float]] = defaultdict(dict)
    for at, each in enumerate(data.memories):
        analysis = analyse(each.text, detect_language(each.text))
        lengths[at] = analysis.length
        for term, count in analysis.terms.items():
            postings[term][at] = count
    norm = K1 * (1 - B + B * lengths / max(lengths.mean(), 1.0))
    scores, shares = np.zeros((len(data.questions), len(lengths))), np.zeros(len(data.questions))
    for row, asked in enumerate(data.questions):
        information = 0.0
        for term in query_terms(asked.text, detect_language(asked.text)):
            found = postings.get(term, {})
            weight = float(np.log(1 + (len(lengths) - len(found) + 0.5) / (len(found) + 0.5)))
            information += weight
            if found:
                at, counts = np.array(list(found)), np.array(list(found.values()), float)
                scores[row, at] += weight * counts * (K1 + 1) / (counts + norm[at])
        shares[row] = 1 / information if information else 0.0
    return scores, shares


def order(scores: Array, visible: NDArray[np.bool_], count: int, least: float = -np.inf) -> list[int]:
    """The best visible memories whose score is over `least`."""
    shown = np.where(visible, scores, -np.inf)
    best = np.argsort(-shown, kind="stable")[:count]
    return [int(at) for at in best if shown[at] > least]


def arms(every: Arrays, row: int, count: int = POOL) -> dict[str, list[int]]:
    """What each arm finds, best first."""
    return {
        "dense": order(every.dense[row], every.visible[row], count),
        "lexical": order(every.lexical[row], every.visible[row], count, 0.0),
    }


def pool(every: Arrays, row: int, found: Mapping[str, Sequence[int]]) -> tuple[list[PoolItem], list[Neighbour]]:
    """The arms' hits and the neighbours of the best of them, as the product completes its pool."""
    members = list(dict.fromkeys(at for hits in found.values() for at in hits))
    ranks = reciprocal_ranks({arm: [UUID(int=at) for at in hits] for arm, hits in found.items()}, {})
    anchors = sorted(ranks, key=lambda version: (-ranks[version], version.int))[:ANCHORS]
    near = [near for anchor in anchors for near in _near(every, row, anchor.int)]
    members = list(dict.fromkeys([*members, *(each.version.int for each in near)]))
    dense, lexical = every.dense[row], every.lexical[row]
    return [PoolItem(UUID(int=at), {"dense": float(dense[at]), "lexical": float(lexical[at])}) for at in members], near


def _near(every: Arrays, row: int, anchor: int) -> list[Neighbour]:
    (same,) = np.nonzero((every.sources == every.sources[anchor]) & every.visible[row])
    same = same[np.argsort(every.positions[same], kind="stable")]
    here = int(np.flatnonzero(same == anchor)[0])
    around = range(max(0, here - RADIUS), min(len(same), here + RADIUS + 1))
    return [Neighbour(UUID(int=anchor), UUID(int=int(same[at])), at - here) for at in around if at != here]


def product(**options: Any) -> Ranker:
    """The product's own fusion and stages; `options` as POST /recall takes them: fusion, weights, stages, …"""
    if "adaptive_weights" in options:
        options["adaptive"] = options.pop("adaptive_weights")
    tuning = Overrides(**options).over(DEFAULTS)

    def rank(every: Arrays, row: int) -> list[int]:
        asked = every.data.questions[row]
        found = {arm: hits for arm, hits in arms(every, row).items() if tuning.weights.get(arm, 1.0) > 0}
        items, near = pool(every, row, found)
        shape = shape_of(asked.text)
        weights = arm_weights(tuning, shape, strength=float(every.strength[row]) if "lexical" in found else 0.0)
        rankings = {arm: [UUID(int=at) for at in hits] for arm, hits in found.items()}
        fused = fuse(
            items,
            near if tuning.smoothing else [],
            {arm: weight for arm, weight in weights.items() if arm in found},
            tuning.smoothing,
            rankings=rankings if tuning.fusion == "rrf" else None,
        )
        floor = rankings.get("dense", [])[: tuning.vector_floor]
        looked = _asked(asked, tuning.half_life, every.lexical[row])
        if staged := stages.switched_on(tuning.stages, looked):
            best = with_floor(fused, floor, max(STAGED, 2 * LIMIT))
            fused = stages.apply(staged, looked, [Candidate(hit, _record(every, hit.version)) for hit in best])
        return [hit.version.int for hit in with_floor(fused, floor, LIMIT)]

    return rank


def _asked(asked: Question, half_life: float, lexical: Array) -> Asked:
    text = asked.text
    terms = [term for term in query_terms(text, detect_language(text)) if lexical.any()]
    moment = asked.as_of or asked.now
    return Asked(text, detect_language(text), terms, shape_of(text), identifiers(text), moment, half_life)


def _record(every: Arrays, version: UUID) -> Record:
    memory = every.data.memories[version.int]
    moment = (memory.event_at or NOW).isoformat()
    payload = {"timestamp": memory.event_at and moment, "known_from": NOW.isoformat(), "source": memory.source}
    return Record(version, version, memory.text, payload)


def _lent(every: Arrays, row: int, members: Places, own: Array) -> Array:
    """Half of the score of each pool member one place away, a quarter of those two places away."""
    gap = np.abs(every.positions[members][:, None] - every.positions[members][None, :])
    linked = (every.sources[members][:, None] == every.sources[members][None, :]) & (gap > 0) & (gap <= 2)
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


def ranks(every: Sequence[Arrays], ranker: Ranker) -> dict[str, list[tuple[list[float], float]]]:
    """For every category the questions' (ranks of the gold memories, rank of the one that must stand below)."""
    found: dict[str, list[tuple[list[float], float]]] = defaultdict(list)
    for one in every:
        for row, asked in enumerate(one.data.questions):
            place = {hit: at for at, hit in enumerate(ranker(one, row), 1)}
            gold = [place.get(each, np.inf) for each in asked.gold]
            below = np.inf if asked.below is None else place.get(asked.below, np.inf)
            found[asked.category].append((gold, below))
    return found


def figures(found: Mapping[str, Sequence[tuple[list[float], float]]]) -> dict[str, float]:
    """What the targets speak of, by name."""

    def share(names: Sequence[str], cut: int) -> float:
        all_ranks = [gold for name in names for gold, _ in found.get(name, ())]
        return float(np.mean([np.mean([rank <= cut for rank in gold]) for gold in all_ranks])) if all_ranks else np.nan

    scored = [f"locomo {category}" for category in (1, 2, 3, 4)]
    above = [gold[0] < below for gold, below in found.get("updates", ())]
    return {
        **{f"LoCoMo R@{cut}": share(scored, cut) for cut in (1, 5, 10, 25)},
        "R@10 of 5": share(["locomo 5"], 10),
        "identifiers @1": share(["identifiers"], 1),
        "paraphrases @1": share(["paraphrases"], 1),
        "paraphrases @5": share(["paraphrases"], 5),
        "languages @5": share(["languages"], 5),
        "keywords @1": share(["keywords"], 1),
        "updates above": float(np.mean(above)) if above else np.nan,
        "updates @1": share(["updates"], 1),
        "as-of @1": share(["as-of"], 1),
    }


def table(every: Sequence[Arrays], rankers: Mapping[str, Ranker]) -> str:
    """A row for each ranker."""
    rows = {name: figures(ranks(every, ranker)) for name, ranker in rankers.items()}
    heads = list(next(iter(rows.values())))
    width = max(len(name) for name in rows)
    lines = [" " * width + "  " + "  ".join(heads)]
    for name, row in rows.items():
        lines.append(f"{name:{width}}  " + "  ".join(f"{row[head]:.3f}".rjust(len(head)) for head in heads))
    return "\n".join(lines)


def _option(given: str) -> tuple[str, Any]:
    name, _, value = given.partition("=")
    read: Any = value if value.isalpha() else float(value)
    outer, _, inner = name.partition(".")
    return outer, {inner: bool(read) if outer == "stages" else read} if inner else read


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("options", nargs="*", help="fields of POST /recall, such as fusion=rrf stages.freshness=1")
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--seed", type=int, default=sets.FROZEN)
    given = parser.parse_args()
    options: dict[str, Any] = {}
    for name, value in map(_option, given.options):
        options[name] = {**options.get(name, {}), **value} if isinstance(value, dict) else value
    rankers = {"product": product(), **({"as given": product(**options)} if options else {}), **BASELINES}
    print(table(arrays(given.embedder, seed=given.seed), rankers))


if __name__ == "__main__":
    main()
