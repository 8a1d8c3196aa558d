"""Runs of the golden questions as the page shows them: figures, and a line for each over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from memory.services.evaluate import Change, Compared

WIDTH, HEIGHT = 600, 120
NAMED = 20
"""Questions that the page names as worse."""


def share(value: float) -> str:
    """A share in percent."""
    return _("%(n)s %%") % {"n": number_format(round(100 * value))}


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run with its figures in words."""

    compared: Compared

    @property
    def at(self) -> datetime:
        """When it ended."""
        return self.compared.run.at

    @property
    def questions(self) -> int:
        """How many questions were asked."""
        return self.compared.run.questions

    @property
    def figures(self) -> list[tuple[str, str]]:
        """What came of it: name, value."""
        run = self.compared.run
        return [
            (_("found first"), share(run.recall_1)),
            (_("among the first 5"), share(run.recall_5)),
            (_("among the first 10"), share(run.recall_10)),
            (_("mean reciprocal rank"), number_format(run.mrr, decimal_pos=2)),
        ]

    @property
    def other_settings(self) -> bool:
        """Whether it ranked otherwise than the run before."""
        former = self.compared.former
        return former is not None and former.settings != self.compared.run.settings

    @property
    def worse(self) -> Sequence[Change]:
        """What got worse, the most first."""
        return self.compared.worse[:NAMED]

    @property
    def more_worse(self) -> int:
        """How many further questions got worse."""
        return len(self.compared.worse) - len(self.worse)

    @property
    def better(self) -> int:
        """How many questions got better."""
        return len(self.compared.better)


@dataclass(frozen=True, slots=True)
class Trend:
    """Lines over the runs, oldest first, in a drawing of `WIDTH` by `HEIGHT`."""

    first: str
    tenth: str
    dots: Sequence[tuple[str, str, str]]
    said: str


def drawn(runs: Sequence[Compared]) -> Trend | None:
    """The trend of recall at 1 and at 10; None while there are fewer than two runs."""
    if len(runs) < 2:
        return None
    oldest_first = [each.run for each in reversed(runs)]
    step = WIDTH / (len(oldest_first) - 1)
    xs = [f"{at * step:.1f}" for at in range(len(oldest_first))]
    ys = [[f"{HEIGHT * (1 - value):.1f}" for value in (run.recall_1, run.recall_10)] for run in oldest_first]
    said = _("Among the first 10: %(then)s in the oldest of these %(n)d runs, %(now)s in the newest.") % {
        "then": share(oldest_first[0].recall_10), "now": share(oldest_first[-1].recall_10), "n": len(runs),
    }  # fmt: skip
    dots = [
        (x, y[1], f"{run.at:%Y-%m-%d}: {share(run.recall_10)}") for x, y, run in zip(xs, ys, oldest_first, strict=True)
    ]
    return Trend(_line(xs, [y[0] for y in ys]), _line(xs, [y[1] for y in ys]), dots, said)


def _line(xs: Sequence[str], ys: Sequence[str]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in zip(xs, ys, strict=True))
