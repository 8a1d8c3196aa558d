"""Tables that hold tenants' rows, and fingerprints of what is in them."""

from functools import cache
from uuid import UUID

from django.apps import apps
from django.db import connections

from tenants.rls import tenant_rows


@cache
def tenant_tables() -> dict[str, str]:
    """Table → column of the tenant's id: every model with a tenant, and the tenants themselves."""
    found = {"tenants_tenant": "id"}
    for model in apps.get_models(include_auto_created=True):
        columns = [each.column for each in model._meta.concrete_fields if each.name in ("tenant", "tenant_id")]
        if columns:
            found[model._meta.db_table] = columns[0]
    return dict(sorted(found.items()))


def fingerprints(tenant: UUID) -> dict[str, tuple[int, str]]:
    """Table → how many rows the tenant has and the digest of all that stands in them."""
    parts = (
        f"SELECT '{table}', count(*), coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '')"
        f" FROM {table} t WHERE t.{column} = %(it)s"
        for table, column in tenant_tables().items()
    )
    with tenant_rows(tenant) as cursor:
        cursor.execute(" UNION ALL ".join(parts), {"it": tenant})
        return {table: (count, digest) for table, count, digest in cursor.fetchall()}


def ids_of(tenant: UUID) -> set[str]:
    """Every id that is the tenant's own: of itself, its keys, memories, versions, jobs."""
    with tenant_rows(tenant) as cursor:
        cursor.execute(
            "SELECT id FROM memory_memory WHERE tenant_id = %(it)s UNION ALL"
            " SELECT id FROM memory_version WHERE tenant_id = %(it)s UNION ALL"
            " SELECT id FROM memory_job WHERE tenant_id = %(it)s UNION ALL"
            " SELECT id FROM memory_goldenquestion WHERE tenant_id = %(it)s UNION ALL"
            " SELECT id FROM memory_goldenrun WHERE tenant_id = %(it)s UNION ALL"
            " SELECT id FROM tenants_servicekey WHERE tenant_id = %(it)s UNION ALL"
            " SELECT id FROM tenants_auditevent WHERE tenant_id = %(it)s",
            {"it": tenant},
        )
        return {str(tenant), *(str(row[0]) for row in cursor.fetchall())}


def as_owner(sql: str) -> None:
    """Run DDL or a clean-up as `loci_owner`, committed at once; never waits for a lock for long."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET lock_timeout = '10s'")
        cursor.execute(sql)


def empty_database() -> None:
    """Take every tenant's committed rows away."""
    as_owner(f"TRUNCATE {', '.join(tenant_tables())} CASCADE")
