"""The database: that it answers, that its second lock holds for us, and that its schema is this release's."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from loci.doctor.findings import Finding, fail, ok, warn
from loci.ground import libpq

OLDEST_SERVER = 150000
EXTENSIONS = {"vector": (0, 8), "btree_gist": (1, 0)}
SKEW_WARN, SKEW_FAIL = 1.0, 30.0
UNPROTECTED = """
SELECT c.relname, c.relrowsecurity AND EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid)
FROM pg_class AS c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND (c.relname = 'tenants_tenant'
    OR EXISTS (SELECT FROM pg_attribute AS a
               WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped))
ORDER BY c.relname
"""
ROLE = """
SELECT r.rolname, r.rolsuper, r.rolbypassrls, r.rolcreaterole,
    EXISTS (SELECT FROM pg_class AS c WHERE c.relowner = r.oid AND c.relrowsecurity)
FROM pg_roles AS r WHERE r.rolname = current_user
"""


def check_database() -> Iterator[Finding]:
    """Whether the application's role gets in, and the server's version and clock."""
    try:
        with libpq.connect("default") as session:
            version, encoding = session.info.server_version, session.info.parameter_status("server_encoding")
            before = datetime.now(UTC)
            (theirs,) = session.execute("SELECT clock_timestamp()").fetchone() or (before,)
            skew = (theirs - before - (datetime.now(UTC) - before) / 2).total_seconds()
    except psycopg.OperationalError as error:
        remedy = "Start PostgreSQL, or correct DATABASE_URL (on one's own machine: `make run`)."
        yield fail("database", f"does not answer: {libpq.reason(error)}", remedy)
        return
    if version < OLDEST_SERVER:
        yield fail("database", f"PostgreSQL {version // 10000} is too old.", "Use PostgreSQL 15 or newer.")
    elif encoding != "UTF8":
        yield fail("database", f"Its encoding is {encoding}.", "Make it anew: ENCODING 'UTF8' TEMPLATE template0.")
    else:
        yield ok("database", f"PostgreSQL {version // 10000}.{version % 10000}")
    yield _clock(skew)


def _clock(skew: float) -> Finding:
    if abs(skew) < SKEW_WARN:
        return ok("clock", "agrees with the database's")
    say = fail if abs(skew) >= SKEW_FAIL else warn
    ahead = "behind" if skew > 0 else "ahead of"
    return say("clock", f"{abs(skew):.1f} s {ahead} the database's", "Synchronise both machines' clocks (NTP).")


def check_role() -> Iterator[Finding]:
    """That row-level security binds the role that we log in as."""
    with connection.cursor() as cursor:
        cursor.execute(ROLE)
        name, superuser, bypasses, creates_roles, owns = cursor.fetchone()
    exempt = {"is a superuser": superuser, "has BYPASSRLS": bypasses, "owns tables": owns}
    faults = [what for what, so in exempt.items() if so]
    if faults:
        remedy = "Log in as a role that owns nothing: deploy/postgres/roles.sql makes one."
        yield fail("role", f"{name} {' and '.join(faults)}: row-level security does not bind it", remedy)
    elif creates_roles:
        yield warn("role", f"{name} may create roles", f"ALTER ROLE {name} NOCREATEROLE.")
    else:
        yield ok("role", f"{name} is bound by row-level security")


def check_row_level_security() -> Iterator[Finding]:
    """That every table of tenants' rows has it on and has a policy, and that without a tenant no row is there."""
    with connection.cursor() as cursor:
        cursor.execute(UNPROTECTED)
        tables = dict(cursor.fetchall())
        open_tables = [name for name, protected in tables.items() if not protected]
        if not tables:
            yield fail("row-level security", "there are no tables", "manage.py migrate --database=owner")
            return
        cursor.execute("SELECT EXISTS (SELECT FROM tenants_tenant)")
        (visible,) = cursor.fetchone()
    if open_tables:
        remedy = "Restore them: a migration turned it on (`policy_sql`). Stop Loci until then."
        yield fail("row-level security", f"off for {', '.join(open_tables)}", remedy)
    elif visible:
        remedy = "Look at the policies of tenants_tenant and at the role. Stop Loci until then."
        yield fail("row-level security", "rows are visible where no tenant is set", remedy)
    else:
        yield ok("row-level security", f"on for all {len(tables)} tables of tenants' rows")


def check_extensions() -> Iterator[Finding]:
    """pgvector and btree_gist, new enough."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT extname, extversion FROM pg_extension")
        installed = dict(cursor.fetchall())
    for name, least in EXTENSIONS.items():
        if name not in installed:
            yield fail("extensions", f"{name} is missing", f"As a superuser in this database: CREATE EXTENSION {name};")
        elif tuple(int(part) for part in installed[name].split(".")[:2] if part.isdigit()) < least:
            wanted = ".".join(map(str, least))
            remedy = f"Install a newer one, then: ALTER EXTENSION {name} UPDATE;"
            yield fail("extensions", f"{name} {installed[name]} is older than {wanted}", remedy)
        else:
            yield ok("extensions", f"{name} {installed[name]}")


def check_migrations() -> Iterator[Finding]:
    """That the schema is this release's."""
    executor = MigrationExecutor(connection)
    left = executor.migration_plan(executor.loader.graph.leaf_nodes())
    unknown = set(executor.loader.applied_migrations) - set(executor.loader.disk_migrations)
    if left:
        names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in left[:3])
        more = f" and {len(left) - 3} more" if len(left) > 3 else ""
        yield fail("migrations", f"not applied: {names}{more}", "manage.py migrate --database=owner")
    elif unknown:
        yield warn("migrations", f"{len(unknown)} are of another release than this one", "Start the release that fits.")
    else:
        yield ok("migrations", f"all {len(executor.loader.applied_migrations)} applied")


def check_answer_time() -> Iterator[Finding]:
    """How long the way to the database and back takes; a recall makes it some ten times."""
    with connection.cursor() as cursor:
        began = time.perf_counter()
        for _ in range(10):
            cursor.execute("SELECT 1")
        each = (time.perf_counter() - began) / 10
    if each > 0.02:
        yield warn("answer time", f"{each * 1000:.0f} ms each way", "Move the database closer to Loci.")
    else:
        yield ok("answer time", f"{each * 1000:.1f} ms")
