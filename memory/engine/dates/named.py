"""Dates by the names of months, weekdays, quarters, seasons and years."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Final

from memory.engine.dates import periods
from memory.engine.dates.cursor import Cue, Match, Text
from memory.engine.dates.lexicon import Sort
from memory.engine.dates.numeric import section
from memory.engine.dates.periods import Period
from memory.engine.dates.reading import Granularity
from memory.engine.dates.scan import Kind

_DECADE: Final = re.compile(r"(1[89]|20)(\d)0s")
_SURE: Final = (Cue.RELATION, Cue.IN, Cue.RANGE)


def readings(text: Text, at: int, cue: Cue) -> Iterator[Match | None]:
    """Every rule's reading of what begins at token `at`."""
    yield month_day(text, at, cue)
    yield day_month(text, at, cue)
    yield month(text, at, cue)
    yield shifted_month(text, at)
    yield quarter(text, at, cue)
    yield season(text, at)
    yield year(text, at, cue)
    yield week_number(text, at)
    yield decade(text, at)
    yield day_of_month(text, at, cue)


def _month_name(text: Text, at: int) -> tuple[int, bool, int] | None:
    """(month, whether the word could be another, token after it and its full stop)."""
    strong, weak = text.take(at, Sort.MONTH), text.take(at, Sort.MONTH_WEAK)
    taken = strong or weak
    if taken is None:
        return None
    after = taken[1]
    short = weak is not None and len(text.tokens[at].raw) <= 4
    return taken[0], strong is None, after + (short and text.sign(after, "."))


def _written_as_name(text: Text, at: int) -> bool:
    return not text.lexicon.capitals or text.tokens[at].titled


def year_after(text: Text, at: int) -> tuple[int, int] | None:
    """The year that a month or quarter before token `at` belongs to: `2025`, `, 2025`, `of last year`."""
    comma = at + 1 if text.kind(at) is Kind.SIGN and text.tokens[at].raw == "," else at
    here = text.skip(comma, Sort.OF, Sort.ARTICLE)
    for start in dict.fromkeys((here, comma)):
        if found := text.year_number(start) or _shifted_year(text, start):
            after = text.take(found[1], Sort.YEAR_MARK)
            return found[0], after[1] if after else found[1]
        marked = text.take(start, Sort.YEAR_MARK)
        if marked and (found := text.year_number(marked[1])):
            return found
    return None


def _shifted_year(text: Text, at: int) -> tuple[int, int] | None:
    """`last year`, `l'année dernière`, `прошлого года` as a number."""
    if shift := text.take(at, Sort.SHIFT):
        unit = text.take(shift[1], Sort.UNIT)
        return (text.today.day.year + shift[0], unit[1]) if unit and _is_year(unit) else None
    unit = text.take(at, Sort.UNIT)
    shift = text.take(unit[1], Sort.SHIFT_BACK) if unit and _is_year(unit) else None
    return (text.today.day.year + shift[0], shift[1]) if shift else None


def _is_year(unit: tuple[int, int]) -> bool:
    return unit[0] == 8


def month_day(text: Text, at: int, cue: Cue) -> Match | None:
    """`May 7`, `May 7th, 2026`, `May the 7th`, `May 7-9`."""
    name = _month_name(text, at) if text.lexicon.month_first else None
    if name is None:
        return None
    day = text.day_number(text.skip(name[2], Sort.ARTICLE))
    if day is None:
        return None
    number, ordinal, after = day
    if ordinal and text.sign(after - 1, "."):
        after -= 1
    last, after = _until_day(text, number, after, cue)
    year = year_after(text, after)
    sure = cue is not Cue.NONE or ordinal or year is not None or text.ends(after)
    if name[1] and not _written_as_name(text, at) and not sure:
        return None
    if year is None and text.counts_something(after):
        return None
    return _days(text, name[0], number, last, year, after)


def _until_day(text: Text, first: int, at: int, cue: Cue) -> tuple[int, int]:
    """The last day of `7-9` or `7 to 9`; without it the first."""
    to = at + 1 if text.kind(at) is Kind.DASH else (text.take(at, Sort.TO) or (0, 0))[1]
    joined = text.take(at, Sort.AND) if not to and cue is Cue.RANGE else None
    last = text.day_number(joined[1] if joined else to) if to or joined else None
    if last and first < last[0] and _month_name(text, last[2]) is None:
        return last[0], last[2]
    return first, at


def _days(text: Text, month: int, first: int, last: int, year: tuple[int, int] | None, after: int) -> Match:
    def make(at: int) -> Period:
        end = periods.day(date(at, month, last)).end
        return replace(periods.day(date(at, month, first)), end=end, said=True)

    if year:
        return make(year[0]), year[1]
    return periods.nearest(make, text.today), after


def day_month(text: Text, at: int, cue: Cue) -> Match | None:
    """`7 May`, `7th of May 2026`, `7. Mai`, `7 de mayo de 2026`, `7-9 May`, `7 and 9 May` as a range."""
    day = text.day_number(at)
    if day is None or text.take(at - 1, Sort.TITLE):
        return None
    number, ordinal, after = day
    last, after = _day_before_month(text, number, after, cue)
    here = text.skip(after, Sort.OF)
    name = _month_name(text, here)
    if name is None:
        return None
    year = year_after(text, name[2])
    sure = cue is not Cue.NONE or ordinal or year is not None or text.ends(name[2])
    if name[1] and not _written_as_name(text, here) and not sure:
        return None
    return _days(text, name[0], number, last, year, name[2])


def _day_before_month(text: Text, first: int, at: int, cue: Cue) -> tuple[int, int]:
    to = at + 1 if text.kind(at) is Kind.DASH else (text.take(at, Sort.TO) or (0, 0))[1]
    joined = text.take(at, Sort.AND) if not to and cue is Cue.RANGE else None
    last = text.day_number(joined[1] if joined else to) if to or joined else None
    if last and first < last[0] and _month_name(text, text.skip(last[2], Sort.OF)):
        return last[0], last[2]
    return first, at


def month(text: Text, at: int, cue: Cue) -> Match | None:
    """`May 2026`, `May of last year`; alone only where nothing else can be meant."""
    name = _month_name(text, at)
    if name is None:
        return None
    if (after := text.take(name[2], Sort.SHIFT_BACK)) and not text.take(name[2], Sort.YEAR_MARK):
        return _month_shifted(text, name[0], after[0]), after[1]
    if year := year_after(text, name[2]):
        return replace(periods.months(year[0], name[0], 1), said=True), year[1]
    if not _month_alone(text, at, name, cue):
        return None
    return periods.nearest(lambda of: replace(periods.months(of, name[0], 1), said=True), text.today), name[2]


def _month_alone(text: Text, at: int, name: tuple[int, bool, int], cue: Cue) -> bool:
    titled = _written_as_name(text, at)
    if text.kind(name[2]) is Kind.NUMBER and not text.year_number(name[2]) and text.adjacent(name[2]):
        return False
    if cue in _SURE and not text.take(at - 1, Sort.ARTICLE):
        return titled or cue is Cue.IN
    if name[1] or not titled:
        return False
    return text.lexicon.bare_month and text.sure and not text.is_name(at, name[2])


def shifted_month(text: Text, at: int) -> Match | None:
    """`last May`, `next May`."""
    shift = text.take(at, Sort.SHIFT)
    name = _month_name(text, shift[1]) if shift else None
    if shift is None or name is None or (name[1] and not _written_as_name(text, shift[1])):
        return None
    return _month_shifted(text, name[0], shift[0]), name[2]


def _month_shifted(text: Text, number: int, by: int) -> Period:
    """-1: the last that is over; 0: this year's; 1: the first that has not begun."""
    today = text.today.day
    if by == 0:
        return periods.months(today.year, number, 1)
    if by < 0:
        return periods.months(today.year + by + (number < today.month), number, 1)
    return periods.months(today.year + by - (number > today.month), number, 1)


def quarter(text: Text, at: int, cue: Cue) -> Match | None:
    """`Q3 2025`, `Q3 of last year`, `third quarter 2025`; alone after a preposition. `H1` needs its year."""
    if text.kind(at) is Kind.QUARTER:
        letter, number, after = text.tokens[at].text[0], int(text.tokens[at].text[1]), at + 1
        if letter == "t" and not text.lexicon.trimesters:
            return None
    else:
        ordinal = text.day_number(at)
        unit = text.take(ordinal[2], Sort.UNIT) if ordinal and ordinal[1] else None
        if ordinal is None or unit is None or unit[0] != 7 or ordinal[0] > 4:
            return None
        letter, number, after = "q", ordinal[0], unit[1]
    dash = after + (text.kind(after) is Kind.DASH or text.sign(after, "/"))
    if year := year_after(text, dash):
        return section(letter, number, year[0]), year[1]
    named = text.kind(at) is not Kind.QUARTER
    if letter == "h" or not (named or cue in _SURE):
        return None
    return periods.nearest(lambda of: section(letter, number, of), text.today), after


def season(text: Text, at: int) -> Match | None:
    """`summer 2024`, `last summer`, `l'été dernier`: three whole months, northern. Winter is its year's December."""
    shift = text.take(at, Sort.SHIFT)
    name = text.take(shift[1] if shift else at, Sort.SEASON)
    if name is None:
        return None
    if shift:
        return _season_shifted(text, name[0], shift[0]), name[1]
    if after := text.take(name[1], Sort.SHIFT_BACK):
        return _season_shifted(text, name[0], after[0]), after[1]
    if year := year_after(text, name[1]):
        return periods.months(year[0], name[0], 3, Granularity.QUARTER), year[1]
    the = text.lexicon.seasons and name[0] in (6, 12) and text.take(at - 1, Sort.ARTICLE)
    if not (the and text.take(at - 2, Sort.IN)) or text.is_name(at, name[1]):
        return None
    return periods.nearest(lambda of: periods.months(of, name[0], 3, Granularity.QUARTER), text.today), name[1]


def _season_shifted(text: Text, first: int, by: int) -> Period:
    seasons = [periods.months(text.today.day.year + of, first, 3, Granularity.QUARTER) for of in range(-4, 4)]
    now = text.today.clock
    if by == 0:
        return next(one for one in seasons if one.end > now)
    if by < 0:
        return [one for one in seasons if one.end <= now][by]
    return [one for one in seasons if one.start > now][by - 1]


def year(text: Text, at: int, cue: Cue) -> Match | None:
    """`2024` after a preposition, if it counts nothing; `the year 2024`, `2024 год`."""
    if marked := text.take(at, Sort.YEAR_MARK):
        found = text.year_number(marked[1])
        return (replace(periods.year(found[0]), said=True), found[1]) if found else None
    found = text.year_number(at)
    if found is None or len(text.tokens[at].raw) != 4:
        return None
    after = text.take(found[1], Sort.YEAR_MARK)
    if after and text.adjacent(found[1]):
        return replace(periods.year(found[0]), said=True), after[1] + text.sign(after[1], ".")
    if cue not in (*_SURE, Cue.FOR) or text.counts_something(found[1]) or text.take(at - 1, Sort.ARTICLE):
        return None
    return replace(periods.year(found[0]), said=True), found[1]


def week_number(text: Text, at: int) -> Match | None:
    """`week 20 of 2025`, `KW 20`; weeks from Monday, the first has the year's first Thursday."""
    marked = text.take(at, Sort.WEEK_MARK)
    if marked is None or text.kind(marked[1]) is not Kind.NUMBER:
        return None
    number, after = text.tokens[marked[1]].value, marked[1] + 1
    if not 1 <= number <= 53 or text.tokens[marked[1]].ordinal:
        return None
    if year := year_after(text, after):
        return periods.week(date.fromisocalendar(year[0], number, 1)), year[1]
    if text.tokens[at].text not in ("kw", "kalenderwoche", "cw", "calendar", "iso"):
        return None  # week 3 of a course
    return periods.nearest(lambda of: periods.week(date.fromisocalendar(of, number, 1)), text.today), after


def decade(text: Text, at: int) -> Match | None:
    """`the 1990s`."""
    match = _DECADE.fullmatch(text.tokens[at].text) if text.kind(at) is Kind.OTHER else None
    if match is None:
        return None
    first = int(match[1] + match[2] + "0")
    return periods.months(first, 1, 120, Granularity.DECADE), at + 1


def day_of_month(text: Text, at: int, cue: Cue) -> Match | None:
    """`on the 7th`, where nothing follows that it could count."""
    day = text.day_number(at)
    if day is None or not day[1] or cue is not Cue.ON or text.kind(at) is not Kind.NUMBER:
        return None
    if not text.ends(day[2]) or not text.take(at - 1, Sort.ARTICLE):
        return None
    today = text.today.day
    found = [periods.months(today.year, today.month + by, 1).start.date() for by in (-2, -1, 0, 1)]
    days = [one.replace(day=day[0]) for one in found if day[0] <= 28 or _has(one, day[0])]
    near = [one for one in days if (one >= today) == text.today.ahead or one == today]
    chosen = near[0] if text.today.ahead else near[-1]
    return replace(periods.day(chosen), floating="month"), day[2]


def _has(first: date, day: int) -> bool:
    try:
        first.replace(day=day)
    except ValueError:
        return False
    return True
