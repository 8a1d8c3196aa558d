"""Overview: how a tenant stands now, for its front page. Cheap however much it holds."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone

from billing import quotas, usage
from memory.services.status import tenant_status
from tenants.rls import tenant_rows
from tenants.scope import Scope

DAYS = 14


@dataclass(frozen=True, slots=True)
class Overview:
    """`status` as `tenant_status` gives it; memories stored on each of the last days, the last one today.

    `rps` is how many requests a second are taken, None for any number. `stored_whole` is False when there were so
    many writes that the older ones of these days were not counted.
    """

    status: dict[str, Any]
    rps: float | None
    stored: list[tuple[date, int]]
    stored_whole: bool


def overview(scope: Scope) -> Overview:
    """How the scope's tenant stands."""
    status = tenant_status(scope)
    zone = _zone(scope)
    today = timezone.now().astimezone(zone).date()
    first = today - timedelta(days=DAYS - 1)
    since = datetime.combine(first, datetime.min.time(), zone)
    with tenant_rows(scope.tenant) as cursor:
        rps = quotas.limit_of(cursor, scope, "rps")
        found = usage.days(cursor, scope, "memories.stored", since=since, time_zone=zone.key)
    stored = [(day, found.by_day.get(day, 0)) for day in (first + timedelta(days=n) for n in range(DAYS))]
    return Overview(status, None if rps == float("inf") else rps, stored, found.whole)


def _zone(scope: Scope) -> ZoneInfo:
    try:
        return ZoneInfo(scope.time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
