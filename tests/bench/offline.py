"""Recall's ranking in process, on exact arrays: LoCoMo and the sets of one's own, without a database or HTTP.

    LOCOMO_FILE=… python -m tests.bench.offline [--seed 7,8] [--ablation] [fusion=rrf stages.freshness=1 …]

prints the product with its defaults, with the fields of POST /recall that are given, and the baselines. Vectors are
kept in var/bench/vectors/. In code:

    >>> every = arrays("minilm")                        # a list of Arrays, one for each tenant
    >>> print(table(every, {"default": product(), "rrf": product(fusion="rrf"), "mine": my_ranker}))

A ranker takes (Arrays, number of the question) and gives memories' numbers, best first.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from memory.engine import stages
from memory.engine.dates import DateReading, read_dates
from memory.engine.fusion import fuse, with_floor
from memory.engine.lending import RADIUS, links
from memory.engine.shape import identifiers, shape_of
from memory.engine.stages import Asked, Candidate
from memory.engine.tuning import DEFAULTS, Overrides, Tuning
from memory.engine.types import Link, PoolItem, Record
from memory.engine.weighing import arm_weights
from memory.retrievers import temporal
from tests.bench import sets
from tests.bench.arrays import Arrays, score
from tests.bench.baselines import BASELINES, LIMIT, Ranker, arms, pool
from tests.bench.datasets import NOW, Dataset, Memory, Question, datasets, mixed
from tests.bench.figures import Outcome, headlines, outcomes
from tests.bench.suite_ablation import markdown, variants
from tests.bench.times import Times

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

POOL, ANCHORS, STAGED = 50, 30, 100
"""As in memory/services/retrieve.py (a test compares them), which needs Django."""
NOBODY: Any = None
NOTHING: Any = None
"""Scope and search of a store that has only one question."""


def arrays(kind: str = "minilm", *, seed: int = sets.FROZEN, locomo: bool = True) -> list[Arrays]:
    """Every dataset scored by both arms; a minute or two the first time, seconds from then on."""
    return [score(data, kind) for data in datasets(seed=seed, locomo=locomo)]


def product(**options: Any) -> Ranker:
    """The product's own fusion and stages; `options` as POST /recall takes them: fusion, weights, stages, …"""
    if "adaptive_weights" in options:
        options["adaptive"] = options.pop("adaptive_weights")
    if not options.pop("full_pipeline", True):
        options["stages"] = {stage.name: False for stage in stages.STAGES}
    tuning = Overrides(**options).over(DEFAULTS)
    return lambda every, row: _rank(every, row, tuning)


def _rank(every: Arrays, row: int, tuning: Tuning) -> list[int]:
    """As `memory/services/retrieve.py` does it with the store's answers."""
    asked = every.data.questions[row]
    found, dates = _found(every, row, tuning)
    only_dated = dates is not None and dates.focused and bool(found["temporal"])
    strength = float(every.strength[row]) if "lexical" in found else 0.0
    weights = arm_weights(tuning, shape_of(asked.text), strength=strength, dated=dates is not None, focused=only_dated)
    items, linked = _completed(every, row, found, ANCHORS if tuning.smoothing else 0)
    if dates is not None:
        items = temporal.scored(Times(every, row), NOBODY, items, dates.windows, only_dated=only_dated)
    rankings = {arm: [UUID(int=at) for at in hits] for arm, hits in found.items()}
    fused = fuse(
        items,
        linked,
        {arm: weight for arm, weight in weights.items() if arm in found},
        0.0 if only_dated else tuning.smoothing,
        rankings=rankings if tuning.fusion == "rrf" else None,
        alike=every.alike,
    )
    floor = rankings.get("dense", [])[: tuning.vector_floor]
    looked = _asked(every, row, tuning)
    if staged := [] if only_dated else stages.switched_on(tuning.stages, looked):
        best = with_floor(fused, floor, max(STAGED, 2 * LIMIT))
        fused = stages.apply(staged, looked, [Candidate(hit, _record(every, hit.version)) for hit in best])
    return [hit.version.int for hit in with_floor(fused, floor, LIMIT)]


def _found(every: Arrays, row: int, tuning: Tuning) -> tuple[dict[str, list[int]], DateReading | None]:
    """What the arms that count find, and the time that the question names if that arm counts."""
    asked = every.data.questions[row]
    found = {arm: hits for arm, hits in arms(every, row, POOL).items() if tuning.weights.get(arm, 1.0) > 0}
    if tuning.weights.get("temporal", 1.0) == 0:
        return found, None
    dates = read_dates(asked.text, now=asked.as_of or asked.now, zone=ZoneInfo("UTC"))
    if dates is not None:
        embedding = every.vectors[0] if "dense" in found else None
        hits = temporal.retrieve(Times(every, row), NOBODY, NOTHING, dates, embedding, POOL)
        found["temporal"] = [hit.version.int for hit in hits]
    return found, dates


def _completed(
    every: Arrays, row: int, found: Mapping[str, Sequence[int]], anchors: int
) -> tuple[Sequence[PoolItem], Sequence[Link]]:
    """The pool and its links; kept, since many variants ask for the same."""
    key = (row, tuple(found), anchors)
    if key not in every.kept:
        items, near = pool(every, row, found, anchors=anchors, radius=RADIUS)
        every.kept[key] = items, [_likened(every, link) for link in links(near)]
    items, linked = every.kept[key]
    return items, linked


def _likened(every: Arrays, link: Link) -> Link:
    return replace(link, likeness=float(every.vectors[link.left.int] @ every.vectors[link.right.int]))


def _asked(every: Arrays, row: int, tuning: Tuning) -> Asked:
    asked = every.data.questions[row]
    text, moment = asked.text, asked.as_of or asked.now
    information = float(every.information[row])
    shape, names = shape_of(text), identifiers(text)
    return Asked(text, every.terms[row], information, shape, names, moment, tuning.half_life, tuning.access_bonus)


def _record(every: Arrays, version: UUID) -> Record:
    """As the store gives it; kept, since every question asks for some again."""
    record: Record | None = every.kept.get(version)
    if record is None:
        record = every.kept[version] = _made(every, version)
    return record


def _made(every: Arrays, version: UUID) -> Record:
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
    return [each for one in every for each in outcomes(one.data, partial(ranker, one))]


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
    parser.add_argument("--seed", default=str(sets.FROZEN), help="one or more draws of the sets, such as 7,8,9")
    parser.add_argument("--ablation", action="store_true", help="the ablation's table instead")
    given = parser.parse_args()
    first, *more = (int(seed) for seed in given.seed.split(","))
    every = arrays(given.embedder, seed=first) + [score(mixed(seed), given.embedder) for seed in more]
    if given.ablation:
        print("\n".join(ablation(every)))
        return
    options = fields_of(given.options)
    rankers = {"product": product(), **({"as given": product(**options)} if options else {}), **BASELINES}
    print(table(every, rankers))


def ablation(every: Sequence[Arrays]) -> list[str]:
    """The table of `make bench ARGS=ablation` from exact scores: minutes instead of an hour, without times."""
    rows = [[row for row, asked in enumerate(one.data.questions) if asked.category != "locomo 5"] for one in every]
    found: dict[str, list[Outcome]] = {}
    for name, fields in variants().items():
        print(name, file=sys.stderr, flush=True)
        ranker = product(**fields)
        asked = [outcomes(one.data, partial(ranker, one), mine) for one, mine in zip(every, rows, strict=True)]
        found[name] = [each for one in asked for each in one]
    return markdown(found)


if __name__ == "__main__":
    main()
