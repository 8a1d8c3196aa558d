"""The shape of a query, for weights that adapt to it: what a question looks for says which arm to trust."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Final, Literal

Shape = Literal["exact_token", "person", "temporal", "general"]

# an identifier mixes letters with digits or signs, or is a long or dotted number; a year by itself is none
_EXACT: Final = re.compile(
    r"""(?<![\w.])(?:
        [\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+                  # an e-mail address
      | \d{1,3}(?:\.\d{1,3}){3}                                     # IPv4
      | v?\d+\.\d+(?:\.\d+)+                                        # a version
      | --[\w-]{2,64}                                              # a flag
      | [\w.-]*\w(?:/[\w.-]+)+ | (?:/[\w.-]+){2,}                   # a path
      | (?=[\w-]*\d)(?=[\w-]*[^\W\d_])\w+(?:[-_]\w+)+(?:\.\w{1,5})*  # abc-123, ERR_42, report_42.pdf
      | [^\W\d_]+_\w+(?:\.\w{1,5})*                                # snake_case, snake_case.py
      | (?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,40}                         # a hash or its start
      | \#\d{2,}
      | \d{5,}
    )(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
_PERSON: Final = re.compile(
    r"(?<!\w)(?:@[\w.]{2,}|who|whom|whose|wer|wem|wen|wessen|qui|quién|quien|кто|кого|кому|谁|誰|누구)(?!\w)",
    re.IGNORECASE,
)
_TEMPORAL: Final = re.compile(
    r"(?<!\w)(?:when|what (?:date|day|time|year|month)|how long ago|since|until|before|after|yesterday|today|tomorrow"
    r"|wann|seit|gestern|heute|morgen|quand|hier|cuándo|cuando|ayer|hoy|когда|вчера|сегодня|завтра)(?!\w)"
    r"|什么时候|いつ|언제",
    re.IGNORECASE,
)
ADAPTED: Final[Mapping[Shape, Mapping[str, float]]] = MappingProxyType(
    {
        "exact_token": {"lexical": 1.4, "graph": 1.4, "temporal": 0.9},
        "person": {"graph": 1.5, "temporal": 0.9},
        "temporal": {"temporal": 1.4},
        "general": {},
    }
)
"""How much more or less an arm counts for a shape; an arm that is not named counts 1."""
_LONGEST: Final = 4096
_PIECE: Final = re.compile(r"\S+")
_LONGEST_PIECE: Final = 128
"""Characters without a space beyond which nothing is an identifier: looking for one costs their square."""


def shape_of(query: str) -> Shape:
    """The shape of a query, by its first 4,096 characters: an identifier goes before a person, a person before time."""
    text = query[:_LONGEST]
    if next(_found(text), None):
        return "exact_token"
    if _PERSON.search(text):
        return "person"
    return "temporal" if _TEMPORAL.search(text) else "general"


def identifiers(query: str, most: int = 16) -> list[str]:
    """The identifiers in a query, case folded, in order, each once; at most `most` of them."""
    return list(islice(dict.fromkeys(each.casefold() for each in _found(query[:_LONGEST])), most))


def _found(text: str) -> Iterator[str]:
    """What looks like an identifier, piece by piece between spaces."""
    for piece in _PIECE.finditer(text):
        if piece.end() - piece.start() <= _LONGEST_PIECE:
            yield from (match.group() for match in _EXACT.finditer(piece.group()))
