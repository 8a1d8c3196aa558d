"""Hard limits on what a tenant stores: exact, because the counter's row stays locked until commit."""

from typing import Any

from django.conf import settings
from django.db.backends.utils import CursorWrapper

from billing.models import Quota
from loci.ground.errors import QuotaExceeded, RuleBroken
from tenants import audit
from tenants.rls import tenant_rows
from tenants.scope import Scope

NAMES = {
    "memories": "how many memories may be stored",
    "rps": "requests per second",
    "jobs": "how many jobs may wait or run at a time",
}
BOUNDS = {"memories": (1.0, 1e15), "rps": (1 / 86_400, 1e6), "jobs": (1.0, 1e6)}
"""What a limit other than 0 may be: `rps` below its least would make the wait for the next request pass a day."""


def reserve(cursor: CursorWrapper, scope: Scope, name: str, amount: int) -> int:
    """Add `amount` (which may be negative) to what the tenant uses of `name`; what it uses now.

    Must run last in the caller's transaction: it locks the tenant's counter until commit. Raises `QuotaExceeded`,
    which undoes the transaction, when the use would pass the limit. A narrowed credential is not told the use.
    """
    limit = limit_of(cursor, scope, name)
    cursor.execute(
        "/* quota.reserve */ INSERT INTO billing_counter AS c (tenant_id, name, value)"
        " SELECT %(tenant)s, %(name)s, %(amount)s WHERE %(amount)s <= %(limit)s OR %(amount)s <= 0"
        " ON CONFLICT (tenant_id, name) DO UPDATE SET value = c.value + %(amount)s"
        " WHERE c.value + %(amount)s <= %(limit)s OR %(amount)s <= 0 RETURNING value",
        {"tenant": scope.tenant, "name": name, "amount": amount, "limit": limit},
    )
    row = cursor.fetchone()
    if row is None:
        used = usage_of(cursor, scope, name)
        counts = f": {used} are stored and {amount} would be added" if scope.whole else ""
        told: dict[str, Any] = {"used": used} if scope.whole else {}
        raise QuotaExceeded(
            f"This would pass the limit of {limit:g} {name}{counts}. Delete some, or have the limit raised.",
            quota=name,
            limit=limit,
            **told,
        )
    return int(row[0])


def limit_of(cursor: CursorWrapper, scope: Scope, name: str) -> float:
    """The tenant's limit: its own, else the default; infinite when there is none."""
    cursor.execute(
        '/* quota.limit */ SELECT q."limit" FROM billing_quota q WHERE q.tenant_id = %s AND q.name = %s',
        [scope.tenant, name],
    )
    row = cursor.fetchone()
    return float(row[0]) if row else settings.DEFAULT_QUOTAS.get(name, float("inf"))


def usage_of(cursor: CursorWrapper, scope: Scope, name: str) -> int:
    """How much of `name` the tenant uses."""
    cursor.execute(
        "/* quota.usage */ SELECT c.value FROM billing_counter c WHERE c.tenant_id = %s AND c.name = %s",
        [scope.tenant, name],
    )
    row = cursor.fetchone()
    return int(row[0]) if row else 0


def set_quota(scope: Scope, limits: dict[str, float]) -> None:
    """Set limits of the scope's tenant by name; a negative one removes the override."""
    for name, limit in limits.items():
        if name not in NAMES:
            raise RuleBroken(f"There is no quota '{name}': choose from {', '.join(NAMES)}.")
        least, most = BOUNDS[name]
        if not (limit <= 0 or least <= limit <= most):
            raise RuleBroken(f"{name}: give 0, a number from {least:.2g} to {most:g}, or -1 to drop the limit.")
    with tenant_rows(scope.tenant) as cursor:
        for name, limit in limits.items():
            if limit < 0:
                Quota.objects.filter(tenant_id=scope.tenant, name=name).delete()
            else:
                Quota.objects.update_or_create(
                    tenant_id=scope.tenant, name=name, defaults={"limit": limit, "set_by": str(scope.actor)}
                )
        audit.record(cursor, scope, "quota.set", **limits)
