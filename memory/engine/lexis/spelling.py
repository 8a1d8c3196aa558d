"""Which words a misspelt word may have been meant to be: trigrams to find candidates, edit distance to judge them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from memory.engine.text.written import is_unspaced

SHORTEST: Final = 3
LONGEST: Final = 32
SHORT: Final = 4
"""Characters up to which a word is also found by its first one."""
TWO_EDITS: Final = 7
"""Characters from which on a word may differ by two edits instead of one."""


@dataclass(frozen=True, slots=True)
class Near:
    """A word of the vocabulary that is like one that was asked for: how much (0 to 1), and what it is found by."""

    word: str
    likeness: float
    terms: tuple[str, ...]


def grams(word: str) -> set[str]:
    """What a word is found by in the vocabulary when it is misspelt: every third of its trigrams, and the last.

    That is enough: a misspelt word is looked for by all of its own (:func:`probes`), and a single edit leaves the first
    or the last of a word of five characters as it was. A pair of characters of a script without spaces is found by its
    second one (its first begins the word). Numbers, hashes and what is too short or too long have none: another number
    is no misspelling.
    """
    if is_unspaced(word):
        return {word[1]} if len(word) == 2 else set()
    if not _correctable(word):
        return set()
    padded = f" {word}"
    found = {padded[at : at + 3] for at in range(0, len(word) - 1, 3)} | {f"{word[-2:]} "}
    return found | {f"  {word[0]}"} if len(word) <= SHORT else found


def probes(word: str) -> set[str]:
    """The trigrams by which words like `word` are looked for."""
    if is_unspaced(word) or not _correctable(word):
        return set()
    padded = f" {word} "
    found = {padded[at : at + 3] for at in range(len(word))}
    return found | {f"  {word[0]}"} if len(word) <= SHORT + 1 else found


def _correctable(word: str) -> bool:
    return SHORTEST <= len(word) <= LONGEST and 3 * sum(map(str.isdigit, word)) <= len(word)


def edits_allowed(word: str) -> int:
    """By how many edits a word may differ from what was meant: 0 below 3 characters, 2 from 7 on."""
    if len(word) < SHORTEST:
        return 0
    return 2 if len(word) >= TWO_EDITS else 1


def distance(one: str, other: str, most: int) -> int:
    """Edits from one word to the other: a character put in, left out, replaced, or two neighbours exchanged; `most` +
    1 when there are more than `most` (0 to 2)."""
    start = end = 0
    shortest = min(len(one), len(other))
    while start < shortest and one[start] == other[start]:
        start += 1
    while end < shortest - start and one[-1 - end] == other[-1 - end]:
        end += 1
    one, other = one[start : len(one) - end], other[start : len(other) - end]
    if not one or not other:
        return min(max(len(one), len(other)), most + 1)
    if len(one) == len(other) == 1 or (len(one) == len(other) == 2 and one == other[::-1]):
        return min(1, most + 1)
    return _table(one, other, most) if most > 1 and abs(len(one) - len(other)) < most + 1 else most + 1


def _table(one: str, other: str, most: int) -> int:
    """The edits by the table of all beginnings, as far as these differ by `most` characters at most in length; it ends
    where no beginning is left."""
    over = most + 1
    last: list[int] = []
    before: list[int] = []
    row = [min(at, over) for at in range(len(other) + 1)]
    for i, char in enumerate(one):
        last, before, row = before, row, [over] * (len(other) + 1)
        row[0] = min(i + 1, over)
        for j in range(max(0, i - most), min(len(other), i + over)):
            cost = min(before[j + 1] + 1, row[j] + 1, before[j] + (char != other[j]))
            if i and j and char == other[j - 1] and one[i - 1] == other[j]:
                cost = min(cost, last[j - 1] + 1)
            row[j + 1] = min(cost, over)
        if min(row) == over and min(before) >= most:
            return over
    return row[-1]


def likeness(word: str, candidate: str) -> float:
    """How alike a misspelt word and a candidate are: 1 for the same, 0 for too many edits."""
    most = edits_allowed(word)
    found = distance(word, candidate, most)
    return 0.0 if found > most else 1 - found / max(len(word), len(candidate))


def best(word: str, candidates: Iterable[str]) -> dict[str, float]:
    """The candidates that a word may have been meant to be, the most alike first, each with how much."""
    own = probes(word)
    scored = [(alike, _shared(own, each), each) for each in candidates if (alike := likeness(word, each)) > 0]
    scored.sort(key=lambda item: (-item[0], -item[1], item[2]))
    return {each: alike for alike, _, each in scored}


def _shared(own: set[str], candidate: str) -> float:
    """Dice's coefficient of the trigrams."""
    its = probes(candidate)
    return 2 * len(own & its) / (len(own) + len(its)) if own or its else 0.0
