"""The usage ledger: append-only, one row per metered thing."""

from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from loci.ground.ids import uuid7
from tenants.scope import Scope


def record(cursor: CursorWrapper, scope: Scope, meter: str, quantity: int) -> None:
    """Append `quantity` of `meter` (`memories.stored`) in the transaction of `cursor`; nothing for a quantity of 0."""
    if quantity:
        cursor.execute(
            "INSERT INTO billing_usageevent (id, tenant_id, at, meter, quantity, actor)"
            " VALUES (%s, %s, %s, %s, %s, %s)",
            [uuid7(), scope.tenant, timezone.now(), meter, quantity, str(scope.actor)],
        )
