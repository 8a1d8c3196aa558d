"""Gravity: what shares no word with the query sinks a little."""

from collections.abc import Sequence

from memory.engine.stages.stage import Asked, Candidate

SINK = -0.5


class Gravity:
    """Sinks what the words did not find at all, where the query has words."""

    name = "gravity"
    default = False

    def applies(self, asked: Asked) -> bool:
        """Only where words found something."""
        return bool(asked.terms)

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """SINK for a candidate without any of the query's terms, else 0."""
        return [0.0 if candidate.hit.raw.get("lexical") else SINK for candidate in candidates]
