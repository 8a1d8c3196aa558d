"""When a question asks about, read as its tenant has set."""

from datetime import UTC, datetime
from typing import cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory.engine.dates import LANGUAGES, DateReading, Order, read_dates
from memory.engine.tuning import Tuning
from memory.engine.types import Search


def named_dates(search: Search, tuning: Tuning) -> DateReading | None:
    """The time that the query names, seen from the tenant's time zone; a recall of the past is asked then."""
    view = search.view
    return read_dates(
        search.text,
        now=view.known_at or view.valid_at or datetime.now(UTC),
        zone=_zone(tuning.time_zone),
        order=cast(Order, tuning.date_order),
        languages=tuning.languages or LANGUAGES,
    )


def _zone(name: str) -> ZoneInfo:
    """The time zone; UTC for one that nobody knows any more."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
