"""Exact-token rescue: who asks for ERR_CONN_42 wants the memory that says something of it, in whatever source."""

import re
from collections.abc import Sequence

from memory.engine.stages.stage import Asked, Candidate
from memory.engine.text.written import stands_in

LIFT = 1.5
ECHO = 0.1
"""Share of the lift for a text that says nothing but the identifier."""
LONGEST, MOST_PLACES = 32_768, 200
"""Characters of a text, and places of an identifier in it, that are looked at."""
SAYING = 9
"""Words beside the identifier from which on a text says something of it."""
_WORD = re.compile(r"[^\W_]+")
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,40}")


class ExactToken:
    """Lifts texts that hold the query's identifiers as they stand: by the share of them that they hold, and less where
    they say nothing else, as a line of a log does."""

    name = "exact_token"
    default = True

    def applies(self, asked: Asked) -> bool:
        """Only to a query with identifiers."""
        return bool(asked.identifiers)

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """0 to LIFT each."""
        return [_lift(asked.identifiers, candidate.record.text[:LONGEST].casefold()) for candidate in candidates]


def _lift(wanted: Sequence[str], text: str) -> float:
    held = [each for each in wanted if _holds(text, each)]
    if not held:
        return 0.0
    for each in held:
        text = text.replace(each, " ")
    said = 0.75 * len(text) if not text.isascii() else len(_WORD.findall(text))
    return LIFT * len(held) / len(wanted) * (ECHO + (1 - ECHO) * min(1.0, said / SAYING))


def _holds(text: str, token: str) -> bool:
    """Whether `token` stands in `text` by itself, not as a part of a longer one; of a hash its beginning will do."""
    if not token.isascii():
        return stands_in(token, text)  # a script without spaces has no longer ones
    start = bool(_HASH.fullmatch(token))
    at = text.find(token)
    for _ in range(MOST_PLACES):
        if at < 0:
            return False
        end = at + len(token)
        before, after = text[at - 1 : at], text[end : end + 1]
        ends = not (_joins(after) or (after in ".-/" and _joins(text[end + 1 : end + 2])))
        if not _joins(before) and (ends or (start and after in "0123456789abcdef")):
            return True
        at = text.find(token, at + 1)
    return False


def _joins(character: str) -> bool:
    return character.isalnum() or character == "_"
