"""Stretches of local time, and which of several possible ones is meant."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

from memory.engine.dates.reading import Granularity

Floating = Literal["", "year", "week", "month"]
DAY = timedelta(days=1)
NEAR = timedelta(days=7)
"""A day without a year that is at most this far ahead is the coming one."""
AROUND_DAYS = 3


@dataclass(frozen=True, slots=True)
class Period:
    """Half-open, in local time without an offset, or with one if it was said. `floating`: the unit that had to be
    guessed (`7 May` has no year, `Tuesday` no week). `said`: a calendar date, and not one counted from today."""

    start: datetime
    end: datetime
    granularity: Granularity
    floating: Floating = ""
    said: bool = False

    def moved(self, years: int = 0, days: int = 0) -> "Period":
        """The same, so many calendar years and days later; 29 February needs a leap year."""
        length = self.end - self.start
        start = self.start.replace(year=self.start.year + years) + days * DAY
        if self.granularity is Granularity.MONTH:
            return replace(self, start=start, end=_plus_years(self.end, years) + days * DAY)
        return replace(self, start=start, end=start + length)

    def widened(self) -> "Period":
        """For "around": three days to each side of a day, half of its length (in whole days) to each side of what is
        longer, twice its length for what is shorter."""
        length = self.end - self.start
        if self.granularity in (Granularity.MINUTE, Granularity.HOUR):
            more = 2 * length
        else:
            more = AROUND_DAYS * DAY if self.granularity is Granularity.DAY else length // (2 * DAY) * DAY
        return replace(self, start=self.start - more, end=self.end + more)


@dataclass(frozen=True, slots=True)
class Today:
    """The moment of asking, as the wall clock shows it; `ahead`: the text speaks of the future."""

    clock: datetime
    ahead: bool = False

    @property
    def day(self) -> date:
        """The day of asking."""
        return self.clock.date()


def local(moment: datetime, zone: tzinfo) -> datetime:
    """The wall clock at `moment` in `zone`."""
    return moment.astimezone(zone).replace(tzinfo=None)


def in_utc(moment: datetime, zone: tzinfo) -> datetime:
    """The instant of a wall clock time. One that a clock change skips is the change; of two it is the first."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def _plus_years(moment: datetime, years: int) -> datetime:
    return moment.replace(year=moment.year + years)


def days_between(first: date, after: date, granularity: Granularity = Granularity.DAY) -> Period:
    """All of the days from `first` up to, not including, `after`."""
    return Period(datetime.combine(first, time()), datetime.combine(after, time()), granularity)


def day(at: date) -> Period:
    """One day."""
    return days_between(at, at + DAY)


def week(of: date) -> Period:
    """The week from Monday that holds `of`."""
    monday = of - of.weekday() * DAY
    return days_between(monday, monday + 7 * DAY, Granularity.WEEK)


def weekend(of: date) -> Period:
    """Saturday and Sunday of the week that holds `of`."""
    saturday = of + (5 - of.weekday()) * DAY
    return days_between(saturday, saturday + 2 * DAY)


def months(year: int, first: int, count: int, granularity: Granularity = Granularity.MONTH) -> Period:
    """`count` months from month `first` (1 is January; more than 12 and less than 1 run into other years)."""
    at, to = (year * 12 + first - 1), (year * 12 + first - 1 + count)
    return days_between(date(at // 12, at % 12 + 1, 1), date(to // 12, to % 12 + 1, 1), granularity)


def quarter(year: int, number: int) -> Period:
    """A quarter, from 1; others run into other years."""
    return months(year, 3 * number - 2, 3, Granularity.QUARTER)


def year(number: int) -> Period:
    """A calendar year."""
    return months(number, 1, 12, Granularity.YEAR)


def unit_shifted(unit: str, by: int, today: Today) -> Period:
    """The calendar unit `by` units after the present one: -1 is the last, 0 this, 1 the next."""
    now = today.day
    if unit == "day":
        return day(now + by * DAY)
    if unit == "week":
        return week(now + 7 * by * DAY)
    if unit == "fortnight":
        return days_between(week(now + 14 * by * DAY).start.date(), week(now + (14 * by + 14) * DAY).start.date())
    if unit == "weekend":
        return _weekend_shifted(by, now)
    if unit == "month":
        return months(now.year, now.month + by, 1)
    if unit == "quarter":
        return quarter(now.year, (now.month + 2) // 3 + by)
    if unit == "year":
        return year(now.year + by)
    hour = today.clock.replace(minute=0, second=0, microsecond=0)
    size = timedelta(hours=1) if unit == "hour" else timedelta(minutes=1)
    start = hour if unit == "hour" else today.clock.replace(second=0, microsecond=0)
    kind = Granularity.HOUR if unit == "hour" else Granularity.MINUTE
    return Period(start + by * size, start + (by + 1) * size, kind)


def _weekend_shifted(by: int, now: date) -> Period:
    """The last weekend that is over, this week's, or the first that has not begun."""
    inside = now.weekday() >= 5
    weeks = by if by <= 0 or inside else by - 1
    return weekend(now + 7 * weeks * DAY)


def back(unit: str, count: int, today: Today) -> Period:
    """`count` units ago (negative: from now): the day; seven days around it for weeks; the calendar month or year."""
    now, clock = today.day, today.clock
    if unit in ("month", "quarter", "year"):
        return unit_shifted(unit, -count, today)
    if unit == "weekend":
        return _weekend_shifted(-count, now)
    if unit == "day":
        return day(now - count * DAY)
    if unit in ("week", "fortnight"):
        at = now - count * (7 if unit == "week" else 14) * DAY
        return days_between(at - 3 * DAY, at + 4 * DAY, Granularity.WEEK)
    at_hour = unit == "hour"
    middle = clock - count * (timedelta(hours=1) if at_hour else timedelta(minutes=1))
    half = timedelta(minutes=30 if at_hour else 3)
    return Period(middle - half, middle + half, Granularity.HOUR if at_hour else Granularity.MINUTE)


def same_day(at: date, by: int) -> date:
    """The same day of the month `by` months later, or that month's last."""
    month = months(at.year, at.month + by, 1)
    return min(month.start.date() + (at.day - 1) * DAY, month.end.date() - DAY)


def rolling(unit: str, count: int, today: Today) -> Period:
    """The last `count` units up to and including today; negative: the next, from today."""
    now, clock = today.day, today.clock
    if unit in ("hour", "minute"):
        size = timedelta(hours=count) if unit == "hour" else timedelta(minutes=count)
        kind = Granularity.HOUR if unit == "hour" else Granularity.MINUTE
        return Period(clock - size, clock, kind) if count > 0 else Period(clock, clock - size, kind)
    days = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}.get(unit)
    kind = Granularity.WEEK if unit in ("week", "weekend", "fortnight") else Granularity(unit)
    per = {"month": 1, "quarter": 3, "year": 12}.get(unit, 0)
    other = now - count * days * DAY if days else same_day(now, -count * per)
    return days_between(min(other, now), max(other, now) + DAY, kind)


def nth_weekday(weekday: int, by: int, today: Today) -> Period:
    """-1: the last one before today; 0: this week's; 1: the first after today; -2 and 2 a week further."""
    now = today.day
    if by == 0:
        return day(now + (weekday - now.weekday()) * DAY)
    gap = (now.weekday() - weekday) % 7 or 7 if by < 0 else -((weekday - now.weekday()) % 7 or 7)
    return day(now - (gap + (7 * (-by - 1) if by < 0 else -7 * (by - 1))) * DAY)


def nearest_weekday(weekday: int, today: Today) -> Period:
    """The latest one up to today; where the future is spoken of, the first from today."""
    gap = (weekday - today.day.weekday()) % 7 if today.ahead else -((today.day.weekday() - weekday) % 7)
    return Period(*_ends(today.day + gap * DAY), Granularity.DAY, "week")


def _ends(at: date) -> tuple[datetime, datetime]:
    one = day(at)
    return one.start, one.end


def nearest(make: Callable[[int], Period], today: Today) -> Period:
    """The one of `make(year)` that is meant when no year is said: the latest that has begun by today, or for a single
    day by a week from now; where the future is spoken of, the first that is not over."""
    here = today.day.year
    found = [period for at in range(here - 8, here + 9) if (period := _maybe(make, at))]
    if not found:
        raise ValueError("there is no such day")
    if today.ahead:
        later = [period for period in found if period.end > today.clock]
        return replace(later[0] if later else found[-1], floating="year")
    grace = NEAR if found[0].granularity is Granularity.DAY else timedelta()
    past = [period for period in found if period.start <= today.clock + grace]
    return replace(past[-1] if past else found[0], floating="year")


def _maybe(make: Callable[[int], Period], at: int) -> Period | None:
    try:
        return make(at)
    except (ValueError, OverflowError):
        return None


def third(period: Period, part: int) -> Period:
    """The early (0), middle (1) or late (2) part: days 1 to 10, 11 to 20 and the rest of a month; thirds of others."""
    length = period.end - period.start
    if period.granularity is Granularity.MONTH:
        cuts = [period.start, period.start + 10 * DAY, period.start + 20 * DAY, period.end]
    elif period.granularity in (Granularity.YEAR, Granularity.QUARTER):
        size = 4 if period.granularity is Granularity.YEAR else 1
        first = period.start
        cuts = [months(first.year, first.month + at * size, 1).start for at in range(3)] + [period.end]
    else:
        step = timedelta(days=round(length / DAY / 3)) if length >= 3 * DAY else length / 3
        cuts = [period.start, period.start + step, period.end - step, period.end]
    kind = Granularity.MONTH if period.granularity is Granularity.YEAR else Granularity.DAY
    kind = Granularity.WEEK if period.granularity in (Granularity.MONTH, Granularity.QUARTER) else kind
    return replace(period, start=cuts[part], end=cuts[part + 1], granularity=kind)


def half(period: Period, which: int) -> Period:
    """The first (0) or second (1) half: 15 days and the rest of a month, six months of a year."""
    first = period.start
    if period.granularity is Granularity.YEAR:
        middle = months(first.year, first.month + 6, 1).start
    else:
        middle = first + timedelta(days=(period.end - first) // (2 * DAY))
    ends = (first, middle) if which == 0 else (middle, period.end)
    return replace(period, start=ends[0], end=ends[1])
