"""Status: what a tenant holds and how its indexes stand; and what the whole deployment waits for."""

from dataclasses import dataclass
from typing import Any

from django.db import connection

from billing import quotas
from memory.services.spaces import label_of, space_of
from memory.stores.embedders import configured
from memory.stores.postgres.visible import Params, tenant_clause
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope


@dataclass(frozen=True, slots=True)
class Backlog:
    """Work of all tenants that waits: counts, and the age of the oldest index task in seconds."""

    index_tasks: int
    oldest_task_seconds: float
    jobs: int


def backlog() -> Backlog:
    """What waits now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT index_tasks, oldest_task, jobs FROM loci_backlog()")
        return Backlog(*cursor.fetchone())


def tenant_status(scope: Scope) -> dict[str, Any]:
    """Counts, quota and index lag of the scope's tenant; a narrowed credential learns none of them."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        params = Params()
        cursor.execute(
            "/* status.lag */ SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(t.created_at)), 0)"
            f" FROM memory_indextask t WHERE {tenant_clause('t', scope, params)}",
            params.values,
        )
        pending, oldest = cursor.fetchone()
        limit = quotas.limit_of(cursor, scope, "memories")
        used = quotas.usage_of(cursor, scope, "memories")
    return {
        "memories": used if scope.whole else None,
        "memories_limit": None if limit == float("inf") or not scope.whole else limit,
        "index_pending": pending if scope.whole else None,
        "index_lag_seconds": round(float(oldest), 3) if scope.whole else None,
    }


def embedder_label() -> str:
    """The embedder as people know it; `none` for lexical search alone."""
    embedder = configured()
    if not embedder.enabled:
        return "none"
    return label_of(embedder) if space_of(embedder) else f"{embedder.name}/{embedder.model}"
