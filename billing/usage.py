"""The usage ledger: append-only, one row per metered thing."""

from dataclasses import dataclass
from datetime import date, datetime

from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from loci.ground.ids import uuid7
from tenants.scope import Scope

MOST_ROWS = 5000


@dataclass(frozen=True, slots=True)
class Days:
    """Quantities by day, none for a day without any; not `whole` when older rows were left out for their number."""

    by_day: dict[date, int]
    whole: bool


def record(cursor: CursorWrapper, scope: Scope, meter: str, quantity: int) -> None:
    """Append `quantity` of `meter` (`memories.stored`) in the transaction of `cursor`; nothing for a quantity of 0."""
    if quantity:
        cursor.execute(
            "/* usage.record */ INSERT INTO billing_usageevent (id, tenant_id, at, meter, quantity, actor)"
            " VALUES (%s, %s, %s, %s, %s, %s)",
            [uuid7(), scope.tenant, timezone.now(), meter, quantity, str(scope.actor)],
        )


def days(
    cursor: CursorWrapper, scope: Scope, meter: str, *, since: datetime, time_zone: str, most: int = MOST_ROWS
) -> Days:
    """How much of `meter` fell on each day since `since`, from the newest `most` rows of the ledger."""
    cursor.execute(
        "/* usage.days */ SELECT (n.at AT TIME ZONE %(zone)s)::date, sum(n.quantity)::bigint, count(*) FROM ("
        "SELECT u.at, u.quantity FROM billing_usageevent u WHERE u.tenant_id = %(tenant)s AND u.meter = %(meter)s"
        " AND u.at >= %(since)s ORDER BY u.at DESC LIMIT %(most)s) AS n GROUP BY 1",
        {"tenant": scope.tenant, "meter": meter, "since": since, "zone": time_zone, "most": most},
    )
    rows = cursor.fetchall()
    return Days({day: int(quantity) for day, quantity, _ in rows}, sum(row[2] for row in rows) < most)
