"""A language's words for time, looked up by phrase. The words themselves are in `languages/`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from typing import Final

from memory.engine.dates.scan import Kind, Token, folded

LONGEST: Final = 6
"""Words of the longest phrase."""


class Sort(StrEnum):
    """What a phrase is good for in a date."""

    MONTH = "month"  # 1 to 12
    MONTH_WEAK = "month, or another word"
    WEEKDAY = "weekday"  # 0 is Monday
    WEEKDAY_SHORT = "weekday, abbreviated"
    DAY = "day counted from today"
    UNIT = "unit"
    NUMBER = "number"
    FEW = "about so many"
    ORDINAL = "ordinal"
    SHIFT = "last, this, next"  # by so many units
    SHIFT_BACK = "last, this, next; after its noun"
    ROLLING = "the last (-1) or next (1) so many"
    ROLLING_ONE = "the last (-1) or next (1), also without a number"
    ROLLING_BACK = "the last (-1) or next (1) so many, after the number"
    AGO = "ago, after the number"
    AGO_FRONT = "ago, before the number"
    HENCE = "from now, after the number"
    HENCE_FRONT = "from now, before the number"
    BEFORE = "before"
    AFTER = "after"
    SINCE = "since"
    UNTIL = "until"
    AROUND = "around"
    BETWEEN = "between"
    FROM = "from"
    TO = "to"
    AND = "and"
    ONWARD = "and later, after a date"
    IN = "in"
    ON = "on"
    FOR = "for"
    ABOUT = "about"
    OF = "of"
    ARTICLE = "article"
    PART = "early (0), middle (1), late (2)"
    HALF = "half: first (0), second (1)"
    DAYPART = "part of a day, in hours"
    NIGHT = "the night that ended, or begins, with a day"
    SEASON = "season"  # its first month
    YEAR_MARK = "year, before or after its number"
    WEEK_MARK = "week, before its number"
    EVERY = "every"
    AHEAD = "speaks of the future"
    GENERIC = "says nothing about content"
    TITLE = "makes a name of what follows"


CORES: Final = frozenset(
    {
        *(Sort.MONTH, Sort.MONTH_WEAK, Sort.WEEKDAY, Sort.WEEKDAY_SHORT, Sort.DAY, Sort.UNIT, Sort.NIGHT),
        *(Sort.DAYPART, Sort.SEASON, Sort.WEEK_MARK),
    }
)
"""What no date can do without, unless it is written in digits."""
Entry = tuple[Sort, int]


@dataclass(slots=True)
class Lexicon:
    """The words of one language, and how it builds dates.

    `month_first`: also `May 7`. `capitals`: names of months and weekdays have one; without it a doubtful word is none.
    `bare_weekday`, `bare_month`: one alone, without a preposition, is a date. `seasons`: "in the summer" means one.
    `trimesters`: `T3` is a quarter. `adjective_last`: `la semana última`. `silent_one`: `неделю назад`.
    `unsure`: words that mean something else in another language, and count only in a text known to be in this one.
    """

    code: str
    month_first: bool = False
    capitals: bool = False
    bare_weekday: bool = True
    bare_month: bool = False
    seasons: bool = False
    trimesters: bool = False
    adjective_last: bool = False
    silent_one: bool = False
    unsure: frozenset[str] = frozenset()
    phrases: dict[tuple[str, ...], list[Entry]] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    """For each first word the length of the longest phrase that begins with it."""
    cores: set[str] = field(default_factory=set)
    """The first words of all phrases that can be the core of a date."""

    def add(self, sort: Sort, words: str, value: int = 0) -> None:
        """Phrases, separated by commas; `{a b}` in one stands for `a` or `b`, `{?a b}` also for neither."""
        for phrase in words.split(","):
            for form in _forms(phrase.strip()):
                entries = self.phrases.setdefault(form, [])
                entries.append((sort, value))
                if sort in CORES:
                    self.cores.add(form[0])
                self.starts[form[0]] = max(self.starts.get(form[0], 0), len(form))

    def table(self, sort: Sort, rows: Mapping[int, str]) -> None:
        """`add` for each value."""
        for value, words in rows.items():
            self.add(sort, words, value)


def _forms(phrase: str) -> Iterator[tuple[str, ...]]:
    """All that a phrase with alternatives stands for, folded."""
    parts: list[Sequence[str]] = []
    for at, piece in enumerate(phrase.replace("}", "{").split("{")):
        if at % 2:
            inner = piece.removeprefix("?").split()
            parts.append([*inner, ""] if piece.startswith("?") else inner)
        else:
            parts.append([piece])
    for choice in product(*parts):
        yield tuple(folded(word) for word in "".join(choice).split())


@dataclass(frozen=True, slots=True)
class Found:
    """Phrases that begin at one token: by sort the value and the token after it, the longest phrase of each sort."""

    by_sort: Mapping[Sort, tuple[int, int]]


EMPTY: Final = Found({})


def look_up(tokens: Sequence[Token], lexicon: Lexicon, unsure: bool) -> list[Found]:
    """For every token the phrases that begin there. A dash within a phrase counts as a space; `unsure`: also words
    that mean something else in another language."""
    return [
        _phrases_at(tokens, at, lexicon, unsure) if token.kind is Kind.WORD and token.text in lexicon.starts else EMPTY
        for at, token in enumerate(tokens)
    ]


def _phrases_at(tokens: Sequence[Token], at: int, lexicon: Lexicon, unsure: bool) -> Found:
    found: dict[Sort, tuple[int, int]] = {}
    words: list[str] = []
    here, longest = at, lexicon.starts[tokens[at].text]
    while len(words) < longest and here < len(tokens):
        token = tokens[here]
        here += 1
        if token.kind is Kind.DASH and words:
            continue
        if token.kind is not Kind.WORD:
            break
        words.append(token.text)
        for sort, value in lexicon.phrases.get(tuple(words), ()):
            if unsure or " ".join(words) not in lexicon.unsure:
                found[sort] = (value, here)
    return Found(found) if found else EMPTY
