"""Times told by a longer or neighbouring one: `early March`, `first week of May`, `the week before May 7`."""

from collections.abc import Callable, Iterator

from memory.engine.dates import periods
from memory.engine.dates.counted import unit_at, units_at
from memory.engine.dates.cursor import Cue, Match, Text
from memory.engine.dates.lexicon import Sort
from memory.engine.dates.periods import DAY, Period, Today
from memory.engine.dates.reading import Granularity
from memory.engine.dates.scan import Kind

Point = Callable[[int, Cue], Match | None]
"""Reads what begins at a token, by the rules that do not look at a neighbour themselves."""
_LONG = (Granularity.WEEK, Granularity.MONTH, Granularity.QUARTER, Granularity.YEAR)


def readings(text: Text, at: int, point: Point) -> Iterator[Match | None]:
    """Every rule's reading of what begins at token `at`."""
    yield part(text, at, point)
    yield one_of(text, at, point)
    yield anchored(text, at, point)


def _whole(text: Text, at: int, point: Point) -> Match | None:
    """The month, quarter or year of which a part is meant: named, or the present one after an article."""
    after = at + (text.kind(at) is Kind.DASH)
    for here in dict.fromkeys((text.skip(after, Sort.OF, Sort.ARTICLE), after)):
        found = point(here, Cue.IN)
        if found and found[0].granularity in _LONG:
            return found
        unit = unit_at(text, here)
        if unit and unit[0] in ("week", "month", "quarter", "year"):
            return periods.unit_shifted(unit[0], 0, text.today), unit[1]
    return None


def part(text: Text, at: int, point: Point) -> Match | None:
    """`early March`, `end of last month`, `mid-2024`, `the first half of September 2022`."""
    for sort, cut in ((Sort.PART, periods.third), (Sort.HALF, periods.half)):
        taken = text.take(at, sort)
        whole = _whole(text, taken[1], point) if taken else None
        if taken and whole:
            return cut(whole[0], taken[0]), whole[1]
    return None


def one_of(text: Text, at: int, point: Point) -> Match | None:
    """`the first week of May`, `second weekend of June 2024`, `last Friday of March`."""
    ordinal = text.day_number(at)
    shift = text.take(at, Sort.SHIFT)
    if ordinal and ordinal[1] and ordinal[0] <= 5:
        number, here = ordinal[0], ordinal[2]
    elif shift and shift[0] == -1:
        number, here = -1, shift[1]
    else:
        return None
    unit, weekday = unit_at(text, here), text.take(here, Sort.WEEKDAY)
    after = unit[1] if unit else weekday[1] if weekday else None
    month = point(text.skip(after, Sort.OF, Sort.ARTICLE), Cue.IN) if after else None
    if month is None or month[0].granularity is not Granularity.MONTH or month[1] == after:
        return None
    period = _nth(month[0], unit[0] if unit else "", weekday[0] if weekday else 0, number)
    return (period, month[1]) if period else None


def _nth(month: Period, unit: str, weekday: int, number: int) -> Period | None:
    """Weeks are the days 1 to 7, 8 to 14 and so on, the last one the month's last seven days."""
    first, after = month.start.date(), month.end.date()
    if unit == "week":
        start = first + 7 * (number - 1) * DAY if number > 0 else after - 7 * DAY
        return periods.days_between(start, min(start + 7 * DAY, after), Granularity.WEEK)
    if unit == "day":
        return periods.day(after - DAY if number < 0 else first + (number - 1) * DAY)
    if unit not in ("", "weekend"):
        return None
    day = 5 if unit else weekday
    start = first + ((day - first.weekday()) % 7 + 7 * (number - 1)) * DAY
    if number < 0:
        start = after - ((after.weekday() - day) % 7 or 7) * DAY
    return periods.days_between(start, start + (2 if unit else 1) * DAY) if first <= start < after else None


def anchored(text: Text, at: int, point: Point) -> Match | None:
    """`the week before May 7`, `two days after …`, `the Sunday before …`, `last weekend before …`."""
    shift = text.take(at, Sort.SHIFT)
    here = shift[1] if shift and shift[0] == -1 else at
    units = units_at(text, here)
    unit, weekday = unit_at(text, here), text.take(here, Sort.WEEKDAY)
    after = units.after if units else unit[1] if unit else weekday[1] if weekday else None
    if after is None:
        return None
    before = text.take(after, Sort.BEFORE)
    relation = before or text.take(after, Sort.AFTER)
    date = point(text.skip(relation[1], Sort.ARTICLE, Sort.ON), Cue.RELATION) if relation else None
    if date is None or date[0].granularity not in (Granularity.DAY, Granularity.WEEK):
        return None
    sign = -1 if before else 1
    if units or unit:
        count, name = (units.many, units.unit) if units else (1, unit[0] if unit else "")
        return _beside(name, sign * count, date[0]), date[1]
    return _weekday_beside(weekday[0] if weekday else 0, sign, date[0]), date[1]


def _weekday_beside(weekday: int, sign: int, date: Period) -> Period:
    """The nearest such day before or after the date."""
    edge = date.start.date() - DAY if sign < 0 else date.end.date()
    gap = (edge.weekday() - weekday) % 7 if sign < 0 else (weekday - edge.weekday()) % 7
    return periods.day(edge + sign * gap * DAY)


def _beside(unit: str, count: int, date: Period) -> Period:
    """The unit next to a date; further ones as counted from it."""
    first, after = date.start.date(), date.end.date()
    if unit == "day":
        return periods.day(first + count * DAY if count < 0 else after + (count - 1) * DAY)
    if unit == "weekend":
        return periods.unit_shifted("weekend", count, Today(date.start))
    if abs(count) > 1 or unit not in ("week", "month", "year"):
        return periods.back(unit, -count, Today(date.start))
    months = {"month": count, "year": 12 * count}.get(unit, 0)
    edge = first if count < 0 else after
    other = periods.same_day(edge, months) if months else edge + 7 * count * DAY
    return periods.days_between(min(edge, other), max(edge, other), Granularity(unit))
