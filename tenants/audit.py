"""The audit trail: who did what, without what was said."""

import json
from typing import Any

from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from loci.ground.context import current
from loci.ground.ids import uuid7
from tenants.scope import Scope


def record(cursor: CursorWrapper, scope: Scope, action: str, **detail: Any) -> None:
    """Append an event in the transaction of `cursor`, which must be open for the scope's tenant.

    `action` is dotted (`memory.erased`); `detail` holds ids and counts, never a memory's text or a secret.
    """
    facts = current.get()
    cursor.execute(
        "INSERT INTO tenants_auditevent (id, tenant_id, at, action, actor, request_id, trace_id, address, detail)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s::jsonb)",
        [
            uuid7(),
            scope.tenant,
            timezone.now(),
            action,
            str(scope.actor),
            facts.request_id,
            facts.trace_id,
            facts.address,
            json.dumps(detail),
        ],
    )
