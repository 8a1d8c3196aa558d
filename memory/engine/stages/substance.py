"""Substance: a text of few words, or one that only asks, seldom answers."""

from collections.abc import Sequence
from math import log2

from memory.engine.stages.stage import Asked, Candidate
from memory.engine.text import estimate_tokens

PER_DOUBLING = 0.3
MIDDLE, FULL = 20, 80
"""Tokens by estimate: where the nudge is 0, and beyond which more say no more."""


class Substance:
    """Sinks very short texts, lifts those of some length: a chance word weighs much in a short text."""

    name = "substance"
    default = True

    def applies(self, asked: Asked) -> bool:
        """Always."""
        return True

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """PER_DOUBLING for each doubling of the length, from 1 to FULL tokens."""
        lengths = (min(FULL, estimate_tokens(candidate.record.text)) for candidate in candidates)
        return [PER_DOUBLING * log2((1 + length) / MIDDLE) for length in lengths]


SINK = -0.5
ENDS = ("?", "？", "؟")


class Question:
    """Sinks texts that end in a question, but for those kept as open questions."""

    name = "question"
    default = True

    def applies(self, asked: Asked) -> bool:
        """Always."""
        return True

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """SINK for a question, else 0."""
        return [SINK if _asks(candidate) else 0.0 for candidate in candidates]


def _asks(candidate: Candidate) -> bool:
    record = candidate.record
    return record.payload["kind"] != "open_question" and record.text.rstrip().endswith(ENDS)
