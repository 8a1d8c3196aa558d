"""Newest: of memories that match the words alike the later one goes first, since facts change."""

from collections.abc import Mapping, Sequence

from memory.engine.stages.moment import moment
from memory.engine.stages.stage import Asked, Candidate

SWAY = 0.5
LEAST, NEAR = 0.6, 0.9
"""The share of the query's information that a memory must match, and of what the best one matches, to take part."""


class Newest:
    """Orders by time what matches the query's words about equally well, and only that."""

    name = "newest"
    default = True

    def applies(self, asked: Asked) -> bool:
        """Where words are known; who asks for an identifier wants what explains it, old or new."""
        return bool(asked.terms) and asked.shape != "exact_token"

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """From -SWAY for the oldest to SWAY for the newest of those that take part, 0 for all others."""
        shares = [_share(asked.terms, candidate) / asked.information for candidate in candidates]
        least = max(LEAST, NEAR * max(shares, default=0.0))
        taking = [at for at, share in enumerate(shares) if share >= least]
        nudges = [0.0] * len(candidates)
        if len(taking) > 1:
            times = [moment(candidates[at]) for at in taking]
            order = sorted(set(times))
            for at, time in zip(taking, times, strict=True):
                nudges[at] = SWAY * (2 * order.index(time) / (len(order) - 1) - 1) if len(order) > 1 else 0.0
        return nudges


def _share(terms: Mapping[str, float], candidate: Candidate) -> float:
    return sum(terms.get(term, 0.0) for term in candidate.hit.terms)
