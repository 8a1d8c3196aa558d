"""What a lexical query is made of, and the error of one that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

MAX_LEAVES: Final = 64
MAX_PARTS: Final = 512
"""Parts that the words and phrases of a raw query fall into: `a,b,c` has three."""
MAX_PHRASE_ATOMS: Final = 8
"""Words of one phrase that narrow its candidates; the text itself decides."""
MAX_PHRASE: Final = 1000
"""Characters of a phrase in a raw query; as many words as fit."""
MAX_DEPTH: Final = 32
MIN_PREFIX: Final = 2


class QuerySyntaxError(ValueError):
    """A query that cannot be read: `position` is where, in characters from 0; `expected` what should stand there.

    `code` names the kind of fault: early_end, operand, unopened, unclosed, quote, star, short, empty, deep, many, long
    or absent.
    """

    def __init__(self, code: str, fault: str, position: int, expected: str):
        super().__init__(f"{fault} at character {position + 1}: expected {expected}")
        self.code, self.fault, self.position, self.expected = code, fault, position, expected


@dataclass(frozen=True, slots=True)
class Word:
    """A word or identifier that must occur; with `prefix`, the beginning of one. `at` is its place in the query."""

    text: str
    at: int = 0
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that must stand together as written."""

    text: str
    at: int = 0


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """At least one part holds."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Node


@dataclass(frozen=True, slots=True)
class Required:
    """What a text must be found by: each of `atoms` names an atom of the plan by its number; and `phrase`, flat, must
    stand in it, if there is one; with `open_end` it may end inside a word. `bonus` only counts."""

    atoms: tuple[int, ...]
    phrase: str = ""
    open_end: bool = False
    bonus: tuple[int, ...] = ()


Leaf = Word | Phrase
Node = Word | Phrase | Required | All | Any | Not


def leaves(node: Node) -> Iterator[Word | Phrase | Required]:
    """What the query is made of, in order."""
    if isinstance(node, Not):
        yield from leaves(node.part)
    elif isinstance(node, All | Any):
        for part in node.parts:
            yield from leaves(part)
    else:
        yield node


def holds(node: Node, leaf: Callable[[Word | Phrase | Required], bool]) -> bool:
    """What the query comes to where `leaf` says what its leaves come to."""
    if isinstance(node, Not):
        return not holds(node.part, leaf)
    if isinstance(node, All):
        return all(holds(part, leaf) for part in node.parts)
    if isinstance(node, Any):
        return any(holds(part, leaf) for part in node.parts)
    return leaf(node)
