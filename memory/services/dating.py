"""The time that a query names, as its tenant reads it."""

from datetime import UTC, datetime
from typing import cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory.engine.dates import LANGUAGES, DateReading, Order, read_dates
from memory.engine.tuning import DEFAULTS, Tuning
from memory.engine.types import Search
from tenants.scope import Scope


def dates_of(scope: Scope, search: Search, tuning: Tuning) -> DateReading | None:
    """What the query says of time, seen from the tenant's time zone; a recall of the past is asked then."""
    view = search.view
    return read_dates(
        search.text,
        now=view.known_at or view.valid_at or datetime.now(UTC),
        zone=_zone(scope, tuning),
        order=cast(Order, tuning.date_order),
        languages=tuning.languages or LANGUAGES,
    )


def _zone(scope: Scope, tuning: Tuning) -> ZoneInfo:
    """The tuning's time zone if it has one of its own, else the tenant's; UTC for one that nobody knows any more."""
    own = tuning.time_zone
    try:
        return ZoneInfo(own if own != DEFAULTS.time_zone else scope.time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
