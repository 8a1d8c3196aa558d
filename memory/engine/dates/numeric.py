"""Dates written in digits."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Final

from memory.engine.dates import periods
from memory.engine.dates.cursor import FIRST_YEAR, LAST_YEAR, Cue, Match, Text
from memory.engine.dates.periods import DAY, Period
from memory.engine.dates.reading import Granularity, Order
from memory.engine.dates.scan import Kind

_MOMENT: Final = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?[ ]?(z|[+-]\d{2}:?\d{2})?)?"
)
_PARTS: Final = re.compile(r"(\d{1,4})([./-])[ ]?(\d{1,4})(?:\2[ ]?(\d{1,4})?)?\.?")
_WEEK: Final = re.compile(r"(\d{4})-?w(\d{2})")
_SECTION: Final = re.compile(r"(\d{4})[-/ ]?([qh])([1-4])")


def read(text: Text, at: int, cue: Cue) -> Match | None:
    """A date token; `12/05` and other short forms only after a preposition."""
    if text.kind(at) is not Kind.DATE:
        return None
    raw = text.tokens[at].text
    if match := _MOMENT.fullmatch(raw):
        return _moment(match), at + 1
    if match := _WEEK.fullmatch(raw):
        return periods.week(date.fromisocalendar(int(match[1]), int(match[2]), 1)), at + 1
    if match := _SECTION.fullmatch(raw):
        return section(match[2], int(match[3]), int(match[1])), at + 1
    period = _in_parts(text, raw, cue)
    return (period, at + 1) if period else None


def section(letter: str, number: int, year: int) -> Period:
    """A quarter (q, or t in French and Spanish), or a half year (h)."""
    if letter != "h":
        return periods.quarter(year, number)
    if number > 2:
        raise ValueError("a year has two halves")
    return periods.months(year, 6 * number - 5, 6, Granularity.QUARTER)


def _moment(match: re.Match[str]) -> Period:
    """A day, or a minute or second of it; with its offset if one is written."""
    year, month, at = (int(match[part]) for part in (1, 2, 3))
    _plausible(year)
    if match[4] is None:
        return replace(periods.day(date(year, month, at)), said=True)
    start = datetime(year, month, at, int(match[4]), int(match[5]), int(match[6] or 0))
    if match[7]:
        start = start.replace(tzinfo=_offset(match[7]))
    length = timedelta(seconds=1) if match[6] else timedelta(minutes=1)
    return Period(start, start + length, Granularity.MINUTE, said=True)


def _offset(text: str) -> timezone:
    if text == "z":
        return UTC
    digits = text[1:].replace(":", "")
    size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-size if text[0] == "-" else size)


def _plausible(year: int) -> None:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError("no year that anybody means")


def _in_parts(text: Text, raw: str, cue: Cue) -> Period | None:
    match = _PARTS.fullmatch(raw)
    if match is None:
        return None
    first, sign, second, last = match[1], match[2], match[3], match[4]
    if last is None:
        return _two_parts(text, first, sign, second, cue)
    if len(first) == 4:
        if sign == "." and text.order != "ymd" and cue is Cue.NONE:
            return None  # a version such as 2024.10.1
        return _day(int(first), int(second), int(last))
    if len(last) == 2 and sign == "." and (cue not in (Cue.ON, Cue.RELATION, Cue.RANGE) or len(raw) < 8):
        return None  # a version such as 19.5.13
    if len(last) == 2 and text.order == "ymd":
        return _day(2000 + int(first), int(second), int(last))
    year = int(last) + 2000 if len(last) == 2 else int(last)
    return _ordered(lambda at, month: _day(year, month, at), int(first), int(second), sign, text.order)


def _ordered(make: Callable[[int, int], Period], first: int, second: int, sign: str, order: Order) -> Period:
    """Day and month by the tenant's order, or the other way round where only that is a date; dots are day first."""
    day_first = order != "mdy" or sign == "."
    day, month = (first, second) if day_first else (second, first)
    return make(day, month) if month <= 12 else make(month, day)


def _two_parts(text: Text, first: str, sign: str, second: str, cue: Cue) -> Period | None:
    """`2025-05`, and after a preposition `05/2025`, `12/05`, `7.5.`"""
    if len(first) == 4 and sign == "-":
        _plausible(int(first))
        return replace(periods.months(int(first), int(second), 1), said=True) if 1 <= int(second) <= 12 else None
    if cue in (Cue.NONE, Cue.FOR, Cue.OTHER) or len(first) > 2:
        return None
    if len(second) == 4 and sign == "/":
        _plausible(int(second))
        return periods.months(int(second), int(first), 1) if 1 <= int(first) <= 12 else None
    if len(second) > 2 or (sign == "/" and cue is Cue.IN) or f"{first}{sign}{second}" in ("24/7", "7/24"):
        return None

    def make(day: int, month: int) -> Period:
        return periods.nearest(lambda year: _day(year, month, day), text.today)

    return _ordered(make, int(first), int(second), sign, text.order)


def _day(year: int, month: int, at: int) -> Period:
    _plausible(year)
    first = date(year, month, at)
    return replace(periods.days_between(first, first + DAY), said=True)
