"""The outbox: which versions still wait for their vectors, and who has them in hand."""

from collections.abc import Sequence
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope


def add_index_tasks(
    cursor: CursorWrapper, scope: Scope, tasks: Sequence[tuple[UUID, UUID]], lease_seconds: float
) -> None:
    """Put (task id, version) into the outbox, leased to the caller for `lease_seconds`."""
    if tasks:
        cursor.execute(
            """/* write.tasks */ INSERT INTO memory_indextask
                (id, tenant_id, version_id, lease_until, attempts, error, created_at)
            SELECT r.id, %s, r.version_id, clock_timestamp() + make_interval(secs => %s), 0, '', clock_timestamp()
            FROM unnest(%s::uuid[], %s::uuid[]) AS r(id, version_id) ON CONFLICT DO NOTHING""",
            [scope.tenant, lease_seconds, *(list(column) for column in zip(*tasks, strict=True))],
        )


def drop_tasks(cursor: CursorWrapper, scope: Scope, versions: Sequence[UUID]) -> None:
    """Take versions off the outbox."""
    params = Params({"versions": list(versions)})
    cursor.execute(
        f"/* index.done */ DELETE FROM memory_indextask AS t WHERE {tenant_clause('t', scope, params)}"
        " AND t.version_id = ANY(%(versions)s::uuid[])",
        params.values,
    )


def release_tasks(cursor: CursorWrapper, scope: Scope, versions: Sequence[UUID], error: str, delay: float) -> None:
    """Let others claim the tasks of `versions` after `delay` seconds."""
    params = Params({"versions": list(versions), "error": error[:300], "delay": delay})
    cursor.execute(
        "/* index.release */ UPDATE memory_indextask AS t"
        " SET lease_until = clock_timestamp() + make_interval(secs => %(delay)s), error = %(error)s"
        f" WHERE {tenant_clause('t', scope, params)} AND t.version_id = ANY(%(versions)s::uuid[])",
        params.values,
    )
