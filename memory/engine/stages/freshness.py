"""Freshness: of two equally good results the later one goes first."""

from collections.abc import Sequence

from memory.engine.stages.moment import days_since, moment
from memory.engine.stages.stage import Asked, Candidate

SWAY = 0.25


class Freshness:
    """Lifts what is new and sinks what is old: half-way after one half-life. World time first, else when it
    was known."""

    name = "freshness"
    default = False

    def applies(self, asked: Asked) -> bool:
        """Always."""
        return True

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """From SWAY for now down to -SWAY for long ago."""
        return [SWAY * (2 * _fresh(asked, candidate) - 1) for candidate in candidates]


def _fresh(asked: Asked, candidate: Candidate) -> float:
    """2^(-age / half-life): 1 now, 0.5 after one half-life; what lies ahead is as fresh as can be."""
    return float(2.0 ** -(days_since(asked, moment(candidate)) / asked.half_life))
