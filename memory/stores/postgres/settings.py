"""The row of a tenant's settings."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.backends.utils import CursorWrapper

from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope


@dataclass(frozen=True, slots=True)
class Row:
    """What a tenant has chosen; version 0 is nothing ever. `sealed_key` is that of its language model."""

    chosen: Mapping[str, Any] = field(default_factory=dict)
    sealed_key: bytes | None = field(default=None, repr=False)
    version: int = 0
    changed_at: datetime | None = None


def read(cursor: CursorWrapper, scope: Scope, *, lock: bool = False) -> Row:
    """The tenant's row; with `lock` until the transaction ends, and made if there is none."""
    if lock:
        cursor.execute(
            "/* settings.make */ INSERT INTO memory_settings (tenant_id, chosen, version) VALUES (%s, '{}', 0)"
            " ON CONFLICT (tenant_id) DO NOTHING",
            [scope.tenant],
        )
    params = Params()
    cursor.execute(
        "/* settings.read */ SELECT s.chosen, s.sealed_llm_key, s.version, s.changed_at FROM memory_settings s"
        f" WHERE {tenant_clause('s', scope, params)} {'FOR UPDATE' if lock else ''}",
        params.values,
    )
    row = cursor.fetchone()
    if row is None:
        return Row()
    chosen, sealed, version, changed_at = row
    return Row(
        json.loads(chosen) if isinstance(chosen, str) else chosen,
        None if sealed is None else bytes(sealed),
        version,
        changed_at,
    )


def write(cursor: CursorWrapper, scope: Scope, row: Row) -> None:
    """Put `row` in the place of the tenant's, which `read` has locked."""
    params = Params()
    chosen, sealed = params.add(json.dumps(row.chosen)), params.add(row.sealed_key)
    cursor.execute(
        f"/* settings.write */ UPDATE memory_settings s SET chosen = {chosen}::jsonb, sealed_llm_key = {sealed},"
        f" version = {params.add(row.version)}, changed_at = {params.add(row.changed_at)}"
        f" WHERE {tenant_clause('s', scope, params)}",
        params.values,
    )
