"""Recall's ranking in process, on exact arrays: LoCoMo and the sets of one's own, without a database or HTTP.

    LOCOMO_FILE=… python -m tests.bench.offline [--embedder minilm] [--seed 7] [fusion=rrf stages.freshness=1 …]

prints the product with its defaults, with the fields of POST /recall that are given, and the baselines. Vectors are
kept in var/bench/vectors/. In code:

    >>> every = arrays("minilm")                        # a list of Arrays, one for each tenant
    >>> print(table(every, {"default": product(), "rrf": product(fusion="rrf"), "mine": my_ranker}))

A ranker takes (Arrays, number of the question) and gives memories' numbers, best first.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory.engine import stages
from memory.engine.fusion import fuse, with_floor
from memory.engine.lending import RADIUS, links
from memory.engine.shape import identifiers, shape_of
from memory.engine.stages import Asked, Candidate
from memory.engine.tuning import DEFAULTS, Overrides, Tuning
from memory.engine.types import Link, Record
from memory.engine.weighing import arm_weights
from memory.services.retrieve import ANCHORS, POOL, STAGED
from tests.bench import sets
from tests.bench.arrays import Arrays, score
from tests.bench.baselines import BASELINES, LIMIT, Ranker, arms, pool
from tests.bench.datasets import NOW, Dataset, Memory, Question, datasets, mixed
from tests.bench.figures import Outcome, headlines, outcomes

__all__ = [
    "BASELINES",
    "Arrays",
    "Dataset",
    "Memory",
    "Outcome",
    "Question",
    "Ranker",
    "arms",
    "arrays",
    "datasets",
    "headlines",
    "mixed",
    "outcomes",
    "pool",
    "product",
    "ranked",
    "score",
    "sets",
    "table",
]


def arrays(kind: str = "minilm", *, seed: int = sets.FROZEN, locomo: bool = True) -> list[Arrays]:
    """Every dataset scored by both arms; a minute or two the first time, seconds from then on."""
    return [score(data, kind) for data in datasets(seed=seed, locomo=locomo)]


def product(**options: Any) -> Ranker:
    """The product's own fusion and stages; `options` as POST /recall takes them: fusion, weights, stages, …"""
    if "adaptive_weights" in options:
        options["adaptive"] = options.pop("adaptive_weights")
    tuning = Overrides(**options).over(DEFAULTS)
    return lambda every, row: _rank(every, row, tuning)


def _rank(every: Arrays, row: int, tuning: Tuning) -> list[int]:
    """As `memory/services/retrieve.py` does it with the store's answers."""
    asked = every.data.questions[row]
    found = {arm: hits for arm, hits in arms(every, row, POOL).items() if tuning.weights.get(arm, 1.0) > 0}
    items, near = pool(every, row, found, anchors=ANCHORS, radius=RADIUS)
    rankings = {arm: [UUID(int=at) for at in hits] for arm, hits in found.items()}
    strength = float(every.strength[row]) if "lexical" in found else 0.0
    weights = arm_weights(tuning, shape_of(asked.text), strength=strength)
    fused = fuse(
        items,
        [_likened(every, link) for link in links(near)] if tuning.smoothing else [],
        {arm: weight for arm, weight in weights.items() if arm in found},
        tuning.smoothing,
        rankings=rankings if tuning.fusion == "rrf" else None,
        alike=every.alike,
    )
    floor = rankings.get("dense", [])[: tuning.vector_floor]
    looked = _asked(every, row, tuning.half_life)
    if staged := stages.switched_on(tuning.stages, looked):
        best = with_floor(fused, floor, max(STAGED, 2 * LIMIT))
        fused = stages.apply(staged, looked, [Candidate(hit, _record(every, hit.version)) for hit in best])
    return [hit.version.int for hit in with_floor(fused, floor, LIMIT)]


def _likened(every: Arrays, link: Link) -> Link:
    return replace(link, likeness=float(every.vectors[link.left.int] @ every.vectors[link.right.int]))


def _asked(every: Arrays, row: int, half_life: float) -> Asked:
    asked = every.data.questions[row]
    text, moment = asked.text, asked.as_of or asked.now
    information = float(every.information[row])
    return Asked(text, every.terms[row], information, shape_of(text), identifiers(text), moment, half_life)


def _record(every: Arrays, version: UUID) -> Record:
    memory = every.data.memories[version.int]
    moment = memory.event_at.isoformat() if memory.event_at else None
    payload = dict.fromkeys(("subject", "agent", "kind"))
    return Record(
        version,
        version,
        memory.text,
        {
            **payload,
            "timestamp": moment,
            "known_from": NOW.isoformat(),
            "namespace": "default",
            "source": memory.source,
        },
    )


def ranked(every: Sequence[Arrays], ranker: Ranker) -> list[Outcome]:
    """What a ranker made of all questions."""
    return [each for one in every for each in outcomes(one.data, lambda row, one=one: ranker(one, row))]


def table(every: Sequence[Arrays], rankers: Mapping[str, Ranker]) -> str:
    """A row of figures for each ranker."""
    rows = {name: headlines(ranked(every, ranker)) for name, ranker in rankers.items()}
    heads = list(next(iter(rows.values())))
    width = max(len(name) for name in rows)
    lines = [" " * width + "  " + "  ".join(heads)]
    for name, row in rows.items():
        lines.append(f"{name:{width}}  " + "  ".join(f"{row[head]:.3f}".rjust(len(head)) for head in heads))
    return "\n".join(lines)


def fields_of(given: Sequence[str]) -> dict[str, Any]:
    """`fusion=rrf stages.freshness=1 weights.lexical=0.7` as the fields of a request."""
    options: dict[str, Any] = {}
    for each in given:
        name, _, value = each.partition("=")
        read: Any = value if value.isalpha() else float(value)
        outer, _, inner = name.partition(".")
        if inner:
            options.setdefault(outer, {})[inner] = bool(read) if outer == "stages" else read
        else:
            options[outer] = int(read) if outer == "vector_floor" else read
    return options


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("options", nargs="*", help="fields of POST /recall, such as fusion=rrf stages.freshness=1")
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--seed", type=int, default=sets.FROZEN)
    given = parser.parse_args()
    options = fields_of(given.options)
    rankers = {"product": product(), **({"as given": product(**options)} if options else {}), **BASELINES}
    print(table(arrays(given.embedder, seed=given.seed), rankers))


if __name__ == "__main__":
    main()
