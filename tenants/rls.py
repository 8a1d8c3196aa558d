"""Row-level security: the second lock. One place opens it for a tenant, one place writes its policies."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper


@contextmanager
def tenant_rows(tenant: UUID, *, timeout_ms: int | None = None) -> Iterator[CursorWrapper]:
    """A transaction in which the rows of `tenant`, and no others, are there; yields its cursor.

    The setting is local to the transaction (a session's would leak through the pool). Inside an
    outer transaction the former tenant is put back on leaving. `timeout_ms` bounds each statement.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(current_setting('loci.tenant', true), ''), set_config('loci.tenant', %s, true),"
            " set_config('statement_timeout', %s, true)",
            [str(tenant), str(timeout_ms or settings.STATEMENT_TIMEOUT_MS)],
        )
        former = cursor.fetchone()[0]
        yield cursor
        if former and former != str(tenant):
            cursor.execute("SELECT set_config('loci.tenant', %s, true)", [former])
        elif not former and _nested():
            cursor.execute("SELECT set_config('loci.tenant', '', true)")


def _nested() -> bool:
    """Whether leaving this block only releases a savepoint."""
    return len(connection.savepoint_ids) > 0


def policy_sql(table: str, column: str = "tenant_id") -> str:
    """SQL that turns row-level security on for `table`. The owner of the table stays exempt: migrations and
    SECURITY DEFINER functions run as the owner, nothing else does (`tenants.checks` holds that line)."""
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;"
        f"CREATE POLICY tenant_only ON {table}"
        f" USING ({column} = nullif(current_setting('loci.tenant', true), '')::uuid)"
        f" WITH CHECK ({column} = nullif(current_setting('loci.tenant', true), '')::uuid);"
    )


def policy_reverse_sql(table: str) -> str:
    """Undoes `policy_sql`."""
    return f"DROP POLICY tenant_only ON {table}; ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;"


def app_role() -> str:
    """The role that web, worker and commands log in as, quoted for SQL."""
    return connection.ops.quote_name(settings.DATABASES["default"]["USER"])
