"""What reading a date gives."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

Order = Literal["dmy", "mdy", "ymd"]
"""How `12/05/2025` is meant: 12 May, December 5, or (year first) only as `2025/05/12`."""


class Relation(StrEnum):
    """How what is asked for lies to the dates that were said."""

    AT = "at"
    AROUND = "around"
    BEFORE = "before"
    AFTER = "after"
    SINCE = "since"
    UNTIL = "until"
    BETWEEN = "between"


class Granularity(StrEnum):
    """The coarsest unit that was said, from the finest to the coarsest."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"


@dataclass(frozen=True, slots=True)
class Window:
    """The instants from `start` up to, not including, `end`, both in UTC; None is an open end. Never both."""

    start: datetime | None
    end: datetime | None

    def holds(self, moment: datetime) -> bool:
        """Whether `moment` lies in it."""
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)


@dataclass(frozen=True, slots=True)
class DateReading:
    """The time that a text asks for.

    `windows` are in order of their start and do not overlap. `spans` are the characters that say it, prepositions
    included: [start, end) in the text. `focused`: apart from them the text holds only words like "what happened".
    `language` is whose table was used.
    """

    windows: tuple[Window, ...]
    relation: Relation
    granularity: Granularity
    spans: tuple[tuple[int, int], ...]
    focused: bool
    language: str
