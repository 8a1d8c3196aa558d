"""From ranks to figures: recall, hits, reciprocal ranks, and whether a difference is more than chance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.bench.datasets import Dataset

CUTS = (1, 5, 10, 25)
RESAMPLES = 10_000
CHUNK = 500
SCORED = tuple(f"locomo {category}" for category in (1, 2, 3, 4))
"""LoCoMo's categories with an answer."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where one question's gold memories came, and the one that must stand below; infinite: not among the results."""

    category: str
    language: str
    gold: tuple[float, ...]
    below: float = np.inf

    def recall(self, cut: int) -> float:
        """The share of the gold memories among the first `cut`."""
        return float(np.mean([rank <= cut for rank in self.gold]))

    def hit(self, cut: int) -> float:
        """1 if a gold memory is among the first `cut`, else 0."""
        return float(min(self.gold) <= cut)

    @property
    def reciprocal(self) -> float:
        """1 / rank of the first gold memory; 0 when none was found."""
        return 1 / min(self.gold)

    @property
    def above(self) -> float:
        """1 if a gold memory was found and stands above the one that must stand below, else 0."""
        return float(min(self.gold) < self.below)


Metric = Callable[[Outcome], float]


def recall(cut: int) -> Metric:
    """R@cut as a metric."""
    return lambda outcome: outcome.recall(cut)


def hit(cut: int) -> Metric:
    """hit@cut as a metric."""
    return lambda outcome: outcome.hit(cut)


def reciprocal(outcome: Outcome) -> float:
    """The reciprocal rank as a metric; its mean is MRR."""
    return outcome.reciprocal


def above(outcome: Outcome) -> float:
    """Whether the new fact stands above the old one, as a metric."""
    return outcome.above


def outcomes(data: Dataset, rank: Callable[[int], Sequence[int]], rows: Sequence[int] | None = None) -> list[Outcome]:
    """What `rank`, which gives memories' numbers for a question's, made of the questions (of `rows`, or of all)."""
    found = []
    for row in range(len(data.questions)) if rows is None else rows:
        asked = data.questions[row]
        place = {memory: at for at, memory in enumerate(rank(row), 1)}
        below = np.inf if asked.below is None else place.get(asked.below, np.inf)
        gold = tuple(place.get(memory, np.inf) for memory in asked.gold)
        found.append(Outcome(asked.category, asked.language, gold, below))
    return found


def of(found: Sequence[Outcome], *categories: str) -> list[Outcome]:
    """Those of some categories."""
    return [outcome for outcome in found if outcome.category in categories]


def values(found: Sequence[Outcome], metric: Metric) -> NDArray[np.float64]:
    """The metric of each outcome."""
    return np.array([metric(outcome) for outcome in found], dtype=np.float64)


def mean(found: Sequence[Outcome], metric: Metric) -> float:
    """The mean of a metric; NaN of nothing."""
    return float(values(found, metric).mean()) if found else np.nan


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference with its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def clear(self) -> str:
        """`better`, `worse`, or nothing when the interval holds 0."""
        return "better" if self.low > 0 else "worse" if self.high < 0 else ""

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def difference(ours: Sequence[Outcome], theirs: Sequence[Outcome], metric: Metric, *, seed: int = 1) -> Difference:
    """Paired bootstrap over the questions: both were asked the same ones, at least one, in the same order."""
    each = values(ours, metric) - values(theirs, metric)
    chance = np.random.default_rng(seed)
    means = np.concatenate(
        [each[chance.integers(0, len(each), (CHUNK, len(each)))].mean(axis=1) for _ in range(RESAMPLES // CHUNK)]
    )
    low, high = np.percentile(means, [2.5, 97.5])
    return Difference(float(each.mean()), float(low), float(high))


HEADLINES: Mapping[str, tuple[tuple[str, ...], Metric]] = {
    **{f"LoCoMo R@{cut}": (SCORED, recall(cut)) for cut in CUTS},
    "5 R@10": (("locomo 5",), recall(10)),
    "identifiers @1": (("identifiers",), hit(1)),
    "paraphrases @1": (("paraphrases",), hit(1)),
    "paraphrases @5": (("paraphrases",), hit(5)),
    "languages @5": (("languages",), hit(5)),
    "keywords @1": (("keywords",), hit(1)),
    "updates above": (("updates",), above),
    "as-of @1": (("as-of",), hit(1)),
}
"""What the targets speak of: categories and metric by name."""


def headlines(found: Sequence[Outcome]) -> dict[str, float]:
    """HEADLINES of what was asked."""
    return {name: mean(of(found, *categories), metric) for name, (categories, metric) in HEADLINES.items()}
