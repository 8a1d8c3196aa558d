"""Exact-token rescue: who asks for ERR_CONN_42 wants the memory that says it, whatever its source is called."""

from collections.abc import Sequence

from memory.engine.stages.stage import Asked, Candidate

LIFT = 1.5


class ExactToken:
    """Lifts texts that hold the query's identifiers as they stand, by the share of them that they hold."""

    name = "exact_token"
    default = True

    def applies(self, asked: Asked) -> bool:
        """Only to a query with identifiers."""
        return bool(asked.identifiers)

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """0 to LIFT each."""
        wanted = asked.identifiers
        texts = (candidate.record.text.casefold() for candidate in candidates)
        return [LIFT * sum(_holds(text, each) for each in wanted) / len(wanted) for text in texts]


def _holds(text: str, token: str) -> bool:
    """Whether `token` stands in `text` by itself, not as a part of a longer one."""
    at = text.find(token)
    while at >= 0:
        end = at + len(token)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not _joins(before) and not (_joins(after) or (after in ".-/" and text[end + 1 : end + 2].isalnum())):
            return True
        at = text.find(token, at + 1)
    return False


def _joins(character: str) -> bool:
    return character.isalnum() or character == "_"
