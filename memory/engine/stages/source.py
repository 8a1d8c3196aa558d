"""Source: a passage counts for more where the passages around it speak of the rest of what is asked."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from memory.engine.stages.stage import Asked, Candidate


class Source:
    """Lifts what comes from a source whose candidates together hold more of the query than it does by itself.

    Only as far as the source is about one thing: a list of unrelated notes supports none of them.
    """

    name = "source"
    default = True

    def applies(self, asked: Asked) -> bool:
        """Where at least two words are known: with one there is no rest."""
        return len(asked.terms) > 1

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """From 0 to 1: the share of the query's information that is gained, times the candidate's coherence."""
        together: dict[object, set[str]] = defaultdict(set)
        for candidate in candidates:
            together[_place(candidate)] |= candidate.hit.terms

        def share(terms: Iterable[str]) -> float:
            return sum(asked.terms.get(term, 0.0) for term in terms) / asked.information

        return [
            candidate.hit.coherence * share(together[_place(candidate)] - candidate.hit.terms)
            for candidate in candidates
        ]


def _place(candidate: Candidate) -> object:
    payload = candidate.record.payload
    return (payload["namespace"], payload["source"]) if payload["source"] else candidate.record.version
