"""Speaker: who asks about Dana wants what Dana said, or what is kept under her name."""

import re
from collections.abc import Sequence

from memory.engine.stages.stage import Asked, Candidate

LIFT = 0.8
_LABEL = re.compile(r"([^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,2}) ?[:：](?=\s|$)")
LONGEST = 4096
"""Characters of a query that are looked at."""
MOST_PLACES = 100
"""Places of a name in a query that are looked at."""


class Speaker:
    """Lifts what has the one person that the query names as its subject, its agent or its speaker ("Dana: …")."""

    name = "speaker"
    default = True

    def applies(self, asked: Asked) -> bool:
        """Always."""
        return True

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """LIFT for the candidates of the person named; all 0 when the query names nobody, or more than one."""
        query = asked.text[:LONGEST].casefold()
        people = [_people(candidate) for candidate in candidates]
        named = {name for name in set().union(*people) if _names(query, name)}
        if len(named) != 1:
            return [0.0] * len(candidates)
        return [LIFT if names & named else 0.0 for names in people]


def _people(candidate: Candidate) -> set[str]:
    """Whose memory it is, case folded."""
    payload = candidate.record.payload
    label = _LABEL.match(candidate.record.text)
    found = (payload["subject"], payload["agent"], label and label.group(1))
    return {name.casefold() for name in found if name}


def _names(query: str, name: str) -> bool:
    """Whether `name` stands in `query` as a whole word; "Dana's" names Dana."""
    at = query.find(name)
    for _ in range(MOST_PLACES):
        if at < 0:
            return False
        before, after = query[at - 1 : at], query[at + len(name) : at + len(name) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = query.find(name, at + 1)
    return False
