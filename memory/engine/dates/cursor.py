"""A tokenised text, and the questions that every rule asks of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from memory.engine.dates.lexicon import Found, Lexicon, Sort
from memory.engine.dates.periods import Period, Today
from memory.engine.dates.reading import Order
from memory.engine.dates.scan import Kind, Token

Match = tuple[Period, int]
"""What was said, and the token after it."""
FIRST_YEAR, LAST_YEAR = 1900, 2199
_NOT_PLURAL: Final = frozenset({"this", "does", "always", "sometimes", "whereas", "perhaps", "besides", "nous", "vous"})
_QUANTITIES: Final = frozenset({"ms", "kb", "mb", "gb", "km", "kg", "cm", "mm", "usd", "eur", "people", "px"})


class Cue(IntEnum):
    """What stands before a date."""

    NONE = 0
    OTHER = 1
    ON = 2
    FOR = 3
    RELATION = 4
    IN = 5
    RANGE = 6


@dataclass(slots=True)
class Text:
    """`sure`: the text is known to be in this language."""

    source: str
    tokens: Sequence[Token]
    found: Sequence[Found]
    lexicon: Lexicon
    today: Today
    order: Order
    sure: bool
    read: dict[tuple[int, Cue], Match | None] = field(default_factory=dict)
    """What has been read already, by token and what stands before it."""

    def take(self, at: int, sort: Sort) -> tuple[int, int] | None:
        """The value of a phrase of `sort` that begins at token `at`, and the token after it."""
        return self.found[at].by_sort.get(sort) if 0 <= at < len(self.found) else None

    def kind(self, at: int) -> Kind | None:
        """What kind of token stands there."""
        return self.tokens[at].kind if 0 <= at < len(self.tokens) else None

    def skip(self, at: int, *sorts: Sort) -> int:
        """The token after up to two phrases of `sorts`."""
        for _ in range(2):
            after = max((taken[1] for sort in sorts if (taken := self.take(at, sort))), default=at)
            if after == at:
                return at
            at = after
        return at

    def sign(self, at: int, sign: str) -> bool:
        """Whether that sign stands directly after the token before."""
        return (
            0 < at < len(self.tokens)
            and self.tokens[at].raw == sign
            and self.tokens[at].start == self.tokens[at - 1].end
        )

    def adjacent(self, at: int) -> bool:
        """Whether only spaces stand between the tokens `at` - 1 and `at`."""
        if not 0 < at < len(self.tokens):
            return False
        return not self.source[self.tokens[at - 1].end : self.tokens[at].start].strip()

    def count(self, at: int) -> tuple[int, bool, int] | None:
        """A number of units in digits or words: (number, whether it is only about so many, token after it)."""
        if self.kind(at) is Kind.NUMBER and not self.tokens[at].ordinal:
            return self.tokens[at].value, False, at + 1
        few, exact = self.take(at, Sort.FEW), self.take(at, Sort.NUMBER)
        if few and (not exact or few[1] >= exact[1]):
            return few[0], True, few[1]
        return (exact[0], False, exact[1]) if exact else None

    def day_number(self, at: int) -> tuple[int, bool, int] | None:
        """The day of a month: (day, whether it is marked as an ordinal, token after it)."""
        if self.kind(at) is Kind.NUMBER and 1 <= self.tokens[at].value <= 31 and len(self.tokens[at].raw) <= 6:
            token = self.tokens[at]
            dotted = self.sign(at + 1, ".") and not token.ordinal and self.kind(at + 2) is not None
            short_year = token.start > 0 and self.source[token.start - 1] in "'’"
            return None if short_year else (token.value, token.ordinal or dotted, at + 1 + dotted)
        if taken := self.take(at, Sort.ORDINAL):
            return taken[0], True, taken[1]
        return None

    def year_number(self, at: int) -> tuple[int, int] | None:
        """A year in four digits, or in two after an apostrophe."""
        if self.kind(at) is not Kind.NUMBER or self.tokens[at].ordinal:
            return None
        token = self.tokens[at]
        if len(token.raw) == 4 and FIRST_YEAR <= token.value <= LAST_YEAR:
            return token.value, at + 1
        if len(token.raw) == 2 and token.start > 0 and self.source[token.start - 1] in "'’":
            return 2000 + token.value, at + 1
        return None

    def counts_something(self, at: int) -> bool:
        """Whether token `at` is a plural or a unit, so that a number before it is a quantity."""
        if self.kind(at) is not Kind.WORD or not self.adjacent(at):
            return False
        raw = self.tokens[at].raw
        plural = len(raw) > 3 and raw.endswith("s") and not raw.endswith("ss") and raw.islower()
        other = raw in _NOT_PLURAL or (self.found[at].by_sort and not self.take(at, Sort.UNIT))
        return raw.lower() in _QUANTITIES or (plural and not other)

    def is_name(self, at: int, after: int) -> bool:
        """Whether the words beside tokens `at` to `after` make a name of them: "Red October", "November Rain"."""
        before = self.tokens[at - 1] if at > 0 and self.adjacent(at) else None
        if before is not None and before.kind is Kind.WORD:
            if self.take(at - 1, Sort.TITLE):
                return True
            if before.titled and at > 1 and not self.take(at - 1, Sort.GENERIC) and self.kind(at - 2) is Kind.WORD:
                return True
        following = self.tokens[after] if self.adjacent(after) else None
        return (
            following is not None
            and following.kind is Kind.WORD
            and following.titled
            and not self.found[after].by_sort
            and self.lexicon.capitals
        )

    def ends(self, at: int) -> bool:
        """Whether the text or the clause ends before token `at`."""
        return at >= len(self.tokens) or self.kind(at) in (Kind.SIGN, Kind.DASH)
