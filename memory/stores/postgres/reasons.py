"""Why a version is not seen: which condition it fails, asked of the one place that makes the conditions."""

from collections.abc import Sequence
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.engine.filters import Filter
from memory.engine.types import View
from memory.stores.postgres.visible import Params, at_time, in_reach, narrowed
from tenants.scope import Scope


def seen(cursor: CursorWrapper, scope: Scope, versions: Sequence[UUID], view: View) -> set[UUID]:
    """Those of `versions` that the view shows."""
    params = Params()
    clauses = [in_reach("v", scope, params), f"v.id = ANY({params.add(list(versions))}::uuid[])"]
    clauses.append(at_time("v", view, params))
    cursor.execute(
        f"/* reasons.seen */ SELECT v.id FROM memory_version v WHERE {' AND '.join(clauses)}",
        params.values,
    )
    return {row[0] for row in cursor.fetchall()}


def passed(cursor: CursorWrapper, scope: Scope, version: UUID, filters: Sequence[Filter]) -> list[bool]:
    """For each of `filters` whether `version` passes it."""
    if not filters:
        return []
    params = Params()
    clause = f"{in_reach('v', scope, params)} AND v.id = {params.add(version)}"
    tests = ", ".join(f"coalesce({narrowed('v', scope, each, params)}, false)" for each in filters)
    cursor.execute(
        f"/* reasons.passed */ SELECT told.* FROM memory_version v CROSS JOIN LATERAL (SELECT {tests}) AS told"
        f" WHERE {clause}",
        params.values,
    )
    row = cursor.fetchone()
    return [False] * len(filters) if row is None else list(row)
