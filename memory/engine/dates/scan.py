"""Text to tokens: words, numbers, written-out numeric dates, signs; and what looks like one of them but is none."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from memory.engine.text.normalise import fold, normalise

MAX_CHARS: Final = 2048
MAX_TOKENS: Final = 256
"""Only so much of a text is read: a longer question is pasted material."""


class Kind(StrEnum):
    """What a token is."""

    WORD = "word"
    NUMBER = "number"
    DATE = "date"
    QUARTER = "quarter"
    DASH = "dash"
    SIGN = "sign"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is folded (no case, no accents); `raw` is as written. `ordinal`: a number written as `7th` or `7.`."""

    kind: Kind
    text: str
    raw: str
    start: int
    end: int
    value: int = -1
    ordinal: bool = False

    @property
    def titled(self) -> bool:
        """Written with one capital at its beginning, as names are."""
        return self.raw[:1].isupper() and self.raw[1:] == self.raw[1:].lower()


_TIME = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:[ ]?(?:Z\b|[+-]\d{2}:?\d{2}\b))?)?"
_NOT_BEFORE = r"(?<![\w./:\\#@$€£+-])"
_NOT_AFTER = r"(?![\w\\%$€£°]|[./:-]\d|/\w)"
_SCAN: Final = re.compile(
    rf"""
    (?P<date>{_NOT_BEFORE}(?:
        \d{{4}}-\d{{1,2}}-\d{{1,2}}{_TIME} | \d{{4}}-\d{{2}} | \d{{4}}-?W\d{{2}} | \d{{4}}[-/ ]?[QH][1-4]
        | \d{{4}}/\d{{1,2}}/\d{{1,2}} | \d{{4}}\.\d{{1,2}}\.\d{{1,2}}\.?
        | \d{{1,2}}/\d{{1,2}}/(?:\d{{4}}|\d{{2}}) | \d{{1,2}}-\d{{1,2}}-\d{{4}}
        | \d{{1,2}}\.[ ]?\d{{1,2}}\.[ ]?\d{{4}} | \d{{1,2}}\.\d{{1,2}}\.\d{{2}} | \d{{1,2}}\.\d{{1,2}}\.(?!\w)
        | \d{{1,2}}/\d{{1,2}} | \d{{1,2}}/\d{{4}}
    ){_NOT_AFTER})
    | (?P<quarter>(?<![\w./:\\#@-])[QqTtHh][1-4](?![\w\\]|[.:]\w))
    | (?P<number>{_NOT_BEFORE}\d{{1,4}}
        (?P<ordinal>(?:st|nd|rd|th|er|[ºª]|-?(?:го|му|ом|й|ое|ая|я|е|м|х))(?![^\W_]))?
        (?![\w\\%$€£°]|[.:]\d|,\d(?!\d{{3}}(?!\d))|/\w))
    | (?P<range>(?<=[\d.\w][-–—])\d{{1,4}}(?:st|nd|rd|th)?(?![\w\\%$€£°]|[.:,/-]\d|/\w))
    | (?P<other>\d[\w.,:/+]{{0,64}})
    | (?P<word>[^\W\d_]+)
    | (?P<dash>[-–—])
    | (?P<sign>[^\w\s])
    | (?P<rest>_)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_GLUE = frozenset("_/\\@#$=+&")
_APOSTROPHES = frozenset("'’ʼ`´")
MARKS: Final = re.compile("[\u0300-\u036f]+")
WORD: Final = re.compile(r"[^\W\d_]+")
DIGITS: Final = re.compile(r"\d{3}|\d[./]\d|[QqTtHh][1-4]|\d(?:st|nd|rd|th)")


@lru_cache(maxsize=4096)
def folded(word: str) -> str:
    """A word without case and accents, as the tables hold it."""
    return fold(normalise(word))


def tokens(text: str) -> list[Token]:
    """The first MAX_TOKENS tokens of the first MAX_CHARS characters, apostrophes left out."""
    found: list[Token] = []
    text = text[:MAX_CHARS]
    at = 0
    while len(found) < MAX_TOKENS and (match := _SCAN.search(text, at)):
        at = match.end()
        if match.lastgroup == "word" and (marks := MARKS.match(text, at)):
            at = _decomposed(text, marks.end())
        if (token := _token(text, match, at)) is not None:
            found.append(token)
    return found


def _decomposed(text: str, at: int) -> int:
    """The end of a word whose accents stand apart."""
    while at < len(text) and (text[at].isalpha() or MARKS.match(text, at)):
        at += 1
    return at


def _token(text: str, match: re.Match[str], end: int) -> Token | None:
    kind, start = match.lastgroup, match.start()
    raw = text[start:end]
    if match["number"] or match["range"]:
        digits = re.match(r"\d+", raw)
        number = int(digits[0]) if digits else -1
        return Token(Kind.NUMBER, raw.lower(), raw, start, end, number, not raw.isdigit())
    if kind == "word":
        return _word(text, raw, start, end)
    if kind == "sign" and raw in _APOSTROPHES:
        return None
    kinds = {"date": Kind.DATE, "quarter": Kind.QUARTER, "dash": Kind.DASH, "sign": Kind.SIGN}
    return Token(kinds.get(str(kind), Kind.OTHER), raw.lower(), raw, start, end)


def _word(text: str, raw: str, start: int, end: int) -> Token | None:
    """A word, unless it is part of a name with signs in it (`may_2024`, `@april`, `monday.com`)."""
    before, after = text[start - 1 : start], text[end : end + 2]
    if raw in ("s", "S") and before in _APOSTROPHES:
        return None
    inside = start > 1 and text[start - 2].isalnum()
    glued = before in _GLUE or after[:1] in _GLUE or before.isdigit() or after[:1].isdigit()
    dotted = (after[:1] in (".", ":") and after[1:].isalnum()) or (before in (".", ":") and inside)
    if glued or dotted:
        return Token(Kind.OTHER, raw.lower(), raw, start, end)
    return Token(Kind.WORD, folded(raw), raw, start, end)
