"""Times counted from now: yesterday, last week, three days ago, the last two months; and from a date."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from memory.engine.dates import named, periods
from memory.engine.dates.cursor import Cue, Match, Text
from memory.engine.dates.languages.units import UNITS
from memory.engine.dates.lexicon import Sort
from memory.engine.dates.periods import DAY, Period
from memory.engine.dates.reading import Granularity
from memory.engine.dates.scan import Kind

MOST: Final = {
    **{"minute": 100_000, "hour": 10_000, "day": 5_000, "week": 1_000, "fortnight": 500, "weekend": 500},
    "month": 1_200,
}
"""More of a unit than this is no date; of the others 200."""


class Units(NamedTuple):
    """`three days`: how many, whether only about so many, of what, and the token after it."""

    many: int
    few: bool
    unit: str
    after: int


def readings(text: Text, at: int, cue: Cue) -> Iterator[Match | None]:
    """Every rule's reading of what begins at token `at`."""
    yield day_word(text, at)
    yield night(text, at)
    yield weekday(text, at, cue)
    yield rolling(text, at)
    yield shifted_unit(text, at, cue)
    yield ago(text, at)
    yield from_now(text, at)


def unit_at(text: Text, at: int) -> tuple[str, int] | None:
    """A unit's name and the token after it."""
    taken = text.take(at, Sort.UNIT)
    return (UNITS[taken[0]], taken[1]) if taken else None


def part_of_day(text: Text, period: Period, at: int) -> Match:
    """A day narrowed by "morning", "evening" or "night" after it."""
    if night := text.take(at, Sort.NIGHT):
        if night[0] == 1 and period.end - period.start == DAY:
            start = period.start + timedelta(hours=18)
            return replace(period, start=start, end=start + timedelta(hours=12), granularity=Granularity.HOUR), night[1]
        return period, at
    part = text.take(at, Sort.DAYPART)
    if part is None or period.end - period.start != DAY:
        return period, at
    hours = divmod(part[0], 100)
    start = period.start
    narrowed = replace(period, start=_hour(start, hours[0]), end=_hour(start, hours[1]), granularity=Granularity.HOUR)
    return narrowed, part[1]


def _hour(day: datetime, hour: int) -> datetime:
    return day + timedelta(hours=hour)


def day_word(text: Text, at: int) -> Match | None:
    """`yesterday`, `yesterday evening`, `this morning`."""
    if taken := text.take(at, Sort.DAY):
        return part_of_day(text, periods.day(text.today.day + taken[0] * DAY), taken[1])
    shift = text.take(at, Sort.SHIFT)
    if shift and shift[0] == 0 and text.take(shift[1], Sort.DAYPART):
        return part_of_day(text, periods.day(text.today.day), shift[1])
    return None


def night(text: Text, at: int) -> Match | None:
    """`last night` and `tonight`: from 18 to 6 o'clock."""
    taken = text.take(at, Sort.NIGHT)
    if taken is None or taken[0] == 1:
        return None
    start = periods.day(text.today.day + taken[0] * DAY).start + timedelta(hours=18)
    return Period(start, start + timedelta(hours=12), Granularity.HOUR), taken[1]


def weekday(text: Text, at: int, cue: Cue) -> Match | None:
    """`last Tuesday`, `mardi dernier`, `Tuesday last week`, `on Tuesday`, `Tuesday morning`, `Tuesday, May 7`."""
    shift = text.take(at, Sort.SHIFT)
    here = shift[1] if shift else at
    name = _weekday_name(text, here, cue if shift is None else Cue.ON)
    if name is None:
        return None
    number, after = name
    if shift:
        return part_of_day(text, periods.nth_weekday(number, shift[0], text.today), after)
    if dated := _its_date(text, after):
        return dated
    if back := text.take(after, Sort.SHIFT_BACK):
        return part_of_day(text, periods.nth_weekday(number, back[0], text.today), back[1])
    week = _shifted(text, text.skip(after, Sort.OF, Sort.ARTICLE))
    if week and week[0] == "week":
        monday = periods.unit_shifted("week", week[1], text.today).start.date()
        return periods.day(monday + number * DAY), week[2]
    if not _weekday_alone(text, at, name, cue):
        return None
    return part_of_day(text, periods.nearest_weekday(number, text.today), after)


def _weekday_name(text: Text, at: int, cue: Cue) -> tuple[int, int] | None:
    if name := text.take(at, Sort.WEEKDAY):
        return name
    short = text.take(at, Sort.WEEKDAY_SHORT)
    if short is None or not text.tokens[at].titled:
        return None
    after = short[1] + text.sign(short[1], ".")
    return (short[0], after) if cue is not Cue.NONE or _its_date(text, after) else None


def _its_date(text: Text, at: int) -> Match | None:
    """The date that follows a weekday: it says more."""
    comma = at + 1 if text.kind(at) is Kind.SIGN and text.tokens[at].raw == "," else at
    here = text.skip(comma, Sort.ON, Sort.ARTICLE)
    return named.month_day(text, here, Cue.ON) or named.day_month(text, here, Cue.ON)


def _weekday_alone(text: Text, at: int, name: tuple[int, int], cue: Cue) -> bool:
    if text.lexicon.capitals and not text.tokens[at].titled:
        return cue in (Cue.ON, Cue.RELATION, Cue.RANGE) or text.take(name[1], Sort.DAYPART) is not None
    if cue not in (Cue.NONE, Cue.OTHER):
        return not text.is_name(at, name[1]) or cue in (Cue.RELATION, Cue.RANGE)
    return text.lexicon.bare_weekday and not text.is_name(at, name[1])


def _shifted(text: Text, at: int) -> tuple[str, int, int] | None:
    """`last week`, `la semana pasada`, `week before last`: (unit, shift, token after it)."""
    if shift := text.take(at, Sort.SHIFT):
        unit = unit_at(text, shift[1])
        return (unit[0], shift[0], unit[1]) if unit else None
    unit = unit_at(text, at)
    back = text.take(unit[1], Sort.SHIFT_BACK) if unit else None
    return (unit[0], back[0], back[1]) if unit and back else None


def shifted_unit(text: Text, at: int, cue: Cue) -> Match | None:
    """`last week`, `this quarter`, `next year`, `over the weekend`, `last week on Tuesday`."""
    found = _shifted(text, at)
    if found is None:
        unit = unit_at(text, at)
        alone = unit is not None and unit[0] == "weekend" and cue not in (Cue.NONE, Cue.OTHER)
        if unit is None or not alone:
            return None
        return periods.unit_shifted("weekend", 0 if text.today.ahead else _past_weekend(text), text.today), unit[1]
    name, by, after = found
    if name in ("minute", "hour", "day"):
        return None
    period = periods.unit_shifted(name, by, text.today)
    inside = text.take(text.skip(after, Sort.ON), Sort.WEEKDAY) if name == "week" else None
    if inside:
        return part_of_day(text, periods.day(period.start.date() + inside[0] * DAY), inside[1])
    return period, after


def _past_weekend(text: Text) -> int:
    return 0 if text.today.day.weekday() >= 5 else -1


def units_at(text: Text, at: int) -> Units | None:
    """`three days`."""
    count = text.count(at)
    unit = unit_at(text, count[2]) if count else None
    if count is None or unit is None or not 0 < count[0] <= MOST.get(unit[0], 200):
        return None
    return Units(count[0], count[1], *unit)


def ago(text: Text, at: int) -> Match | None:
    """`two weeks ago`, `vor zwei Wochen`, `il y a deux semaines`; "a few" is two to five."""
    front = text.take(at, Sort.AGO_FRONT)
    units = units_at(text, front[1] if front else at) or _one(text, at)
    back = text.take(units.after, Sort.AGO) if units else None
    if units is None or (front is None and back is None):
        return None
    return _counted_back(text, units), back[1] if back else units.after


def _one(text: Text, at: int) -> Units | None:
    """Russian needs no number for one: `неделю назад`, `через месяц`."""
    unit = unit_at(text, at) if text.lexicon.silent_one else None
    return Units(1, False, *unit) if unit else None


def _counted_back(text: Text, units: Units) -> Period:
    if not units.few:
        return replace(periods.back(units.unit, units.many, text.today), said=True)
    far, near = periods.back(units.unit, 5, text.today), periods.back(units.unit, 2, text.today)
    return replace(near, start=far.start, said=True)


def from_now(text: Text, at: int) -> Match | None:
    """`three days from now`, `in drei Tagen`, `dans trois jours`, `через три дня`."""
    front = text.take(at, Sort.HENCE_FRONT)
    units = units_at(text, front[1] if front else at) or (_one(text, front[1]) if front else None)
    back = text.take(units.after, Sort.HENCE) if units else None
    if units is None or units.few or (front is None and back is None):
        return None
    return periods.back(units.unit, -units.many, text.today), back[1] if back else units.after


def rolling(text: Text, at: int) -> Match | None:
    """`the last three days`, `in the past week`, `les trois derniers jours`: up to and with today."""
    for sort in (Sort.ROLLING_ONE, Sort.ROLLING):
        front = text.take(at, sort)
        if front and (units := units_at(text, front[1])):
            return periods.rolling(units.unit, -front[0] * (units.many + units.few), text.today), units.after
        unit = unit_at(text, front[1]) if front and sort is Sort.ROLLING_ONE else None
        if front and unit and unit[0] not in ("day", "minute", "weekend"):
            return periods.rolling(unit[0], -front[0], text.today), unit[1]
    return _rolling_back(text, at)


def _rolling_back(text: Text, at: int) -> Match | None:
    """French and Spanish: the number first, or the adjective last."""
    count = text.count(at)
    middle = text.take(count[2], Sort.ROLLING_BACK) if count else None
    if count and middle and (unit := unit_at(text, middle[1])) and 0 < count[0] <= MOST.get(unit[0], 200):
        return periods.rolling(unit[0], -middle[0] * count[0], text.today), unit[1]
    units = units_at(text, at)
    after = text.take(units.after, Sort.ROLLING_BACK) if units else None
    if units and after:
        return periods.rolling(units.unit, -after[0] * units.many, text.today), after[1]
    one_unit = unit_at(text, at)
    one = text.take(one_unit[1], Sort.ROLLING_ONE) if one_unit and text.lexicon.adjective_last else None
    return (periods.rolling(one_unit[0], -one[0], text.today), one[1]) if one_unit and one else None
