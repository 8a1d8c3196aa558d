"""Try constants of recall on LoCoMo and one's own sets without a database. Not part of the benchmark.

    LOCOMO_FILE=… python -m tests.bench.tune [minilm minilm-l3 static] [--seed 7,8] [--save folder]

The ranking is the product's own code on exact scores (`tests.bench.offline`), so that what is found here is what a
request gets. BM25's constants are tried with the default request, and all combinations of the fields below with the
product's BM25; the best by the mean of LoCoMo's R@10 and what counts in the sets are printed. `--save` keeps every
question's values for a closer look. Several seeds, such as 7,8,9, guard against what only suits one draw.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import product as combinations
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench import sets
from tests.bench.arrays import score
from tests.bench.datasets import Dataset, datasets, mixed
from tests.bench.figures import SCORED, Outcome, headlines, of, recall, values
from tests.bench.offline import product, ranked
from tests.bench.suite_sets import HEADLINE, headline

BM25 = tuple(combinations((0.6, 0.9, 1.2), (0.2, 0.4, 0.75)))
"""k1 and b."""
FIELDS: Mapping[str, Sequence[Any]] = {
    "smoothing": (0.0, 0.25, 0.5, 0.75, 1.0),
    "weights": ({}, {"lexical": 0.67}, {"lexical": 1.5}),
}
"""What requests are tried with: name of the field, values."""
SHOWN = 15
COLUMNS = ("LoCoMo R@1", "LoCoMo R@10", "LoCoMo R@25", "identifiers @1", "paraphrases @5", "keywords @1")


def requests() -> Iterator[dict[str, Any]]:
    """Every combination of FIELDS."""
    for chosen in combinations(*FIELDS.values()):
        yield dict(zip(FIELDS, chosen, strict=True))


def worth(found: Sequence[Outcome]) -> float:
    """The mean of LoCoMo's R@10 (if it was asked) and of what counts in the sets."""
    parts = [values(of(found, *SCORED), recall(10)), values(of(found, *HEADLINE), headline)]
    return float(np.mean([part.mean() for part in parts if len(part)]))


def sweep(data: Sequence[Dataset], kind: str) -> Iterator[tuple[str, list[Outcome]]]:
    """The name of each setting and what it made of all questions."""
    every = [score(each, kind) for each in data]
    for fields in requests():
        yield str(fields), ranked(every, product(**fields))
    for k1, b in BM25:
        every = [score(each, kind, k1=k1, b=b) for each in data]
        yield f"k1 {k1} b {b}", ranked(every, product())


def main() -> None:
    """Sweep each embedder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("embedders", nargs="*", default=["minilm"])
    parser.add_argument("--seed", default=str(sets.FROZEN), help="one or more draws of the sets")
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    first, *more = (int(seed) for seed in given.seed.split(","))
    data = [*datasets(seed=first), *map(mixed, more)]
    for kind in given.embedders:
        found = dict(sweep(data, kind))
        print(f"\n{kind}: {', '.join(COLUMNS)}")
        for name in sorted(found, key=lambda name: -worth(found[name]))[:SHOWN]:
            figures = headlines(found[name])
            print("  " + "  ".join(f"{figures[column]:.3f}" for column in COLUMNS), name)
        if given.save:
            locomo = [values(of(each, *SCORED), recall(10)) for each in found.values()]
            own = [values(of(each, *HEADLINE), headline) for each in found.values()]
            np.savez(given.save / f"tune-{kind}.npz", names=list(found), locomo=locomo, sets=own)


if __name__ == "__main__":
    main()
