"""Row-level security by direct SQL, as the role that web, worker and commands log in as."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.backends.utils import CursorWrapper

from loci.ground.ids import uuid7
from tenants.rls import tenant_rows
from tests.cast import Caller
from tests.isolation.rows import fingerprints, tenant_tables

DEFINERS = {
    "loci_attempt_forget": "p_bucket text",
    "loci_attempt_take": "p_buckets text[], p_tries integer[], p_seconds double precision[]",
    "loci_backlog": "",
    "loci_claim_index_tasks": "p_limit integer, p_seconds double precision",
    "loci_claim_job": "p_seconds double precision",
    "loci_key_lookup": "p_digests bytea[]",
    "loci_key_tenant": "p_key uuid",
    "loci_memberships": "p_user uuid",
    "loci_rate_take": "p_tenant uuid, p_default double precision",
    "loci_tenant_by_slug": "p_slug text",
    "loci_drop_expired_answers": "",
    "loci_drop_idle_rates": "",
    "loci_tenant_page": "p_after uuid, p_limit integer",
}
"""Every function that runs with its owner's rights, and so past row-level security: what it takes."""
OPEN_TO_ALL = {
    "tenants_user": "people belong to no tenant; their memberships do",
    "billing_rate": "one row a bucket, reached only through functions of billing/sql",
}
"""Tables of our rooms without a tenant's id, and why."""
APPEND_ONLY = ("tenants_auditevent", "billing_usageevent")
FURNITURE = (
    "INSERT INTO tenants_user (id, email, password, name, is_active, is_superuser, created_at)"
    " VALUES (%(user)s, %(user)s::text || '@x.example', '', '', true, false, now())",
    "INSERT INTO tenants_membership (id, tenant_id, user_id, role, created_at)"
    " VALUES (%(user)s, %(it)s, %(user)s, 'viewer', now())",
    "INSERT INTO billing_quota (tenant_id, name, \"limit\", set_by, set_at) VALUES (%(it)s, 'rps', 1000, 'x', now())",
    "INSERT INTO memory_settings (tenant_id, chosen, version) VALUES (%(it)s, '{}', 0)",
    "INSERT INTO memory_job (id, tenant_id, kind, state, total, done, payload, result, error, actor, scope,"
    " lease_until, attempts, created_at)"
    " VALUES (%(user)s, %(it)s, 'x', 'succeeded', 0, 0, '{}', '{}', '', 'x', '{}', now(), 0, now())",
    "INSERT INTO memory_access (tenant_id, memory_id, count, last_at)"
    " SELECT m.tenant_id, m.id, 1, now() FROM memory_memory m",
    "INSERT INTO memory_exposure (tenant_id, memory_id, at, count)"
    " SELECT m.tenant_id, m.id, now(), 1 FROM memory_memory m",
    "INSERT INTO memory_learnedweight (tenant_id, arm, shape, q, n) VALUES (%(it)s, 'dense', 'general', 0.5, 1)",
    "INSERT INTO memory_goldenquestion (id, tenant_id, question, reach, digest, wanted, created_by, created_at)"
    " VALUES (%(user)s, %(it)s, 'x', '', 'x', 1, 'x', now())",
    "INSERT INTO memory_goldenexpectation (tenant_id, question_id, memory_id)"
    " SELECT m.tenant_id, %(user)s, m.id FROM memory_memory m",
    "INSERT INTO memory_goldenrun (id, tenant_id, reach, settings, questions, recall_1, recall_5, recall_10, mrr,"
    " ranks, actor, at) VALUES (%(user)s, %(it)s, '', 'x', 1, 1, 1, 1, 1, '{}', 'x', now())",
    "INSERT INTO memory_indextask (id, tenant_id, version_id, lease_until, attempts, error, created_at)"
    " SELECT v.id, v.tenant_id, v.id, now(), 0, '', now() FROM memory_version v",
)
"""Rows for the tables that remembering something leaves empty."""
TABLES = list(tenant_tables())


def select(sql: str, *params: Any) -> list[tuple[Any, ...]]:
    """Rows of a statement with whatever tenant is set."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params or None)
        return cursor.fetchall()


@contextmanager
def refused(match: str = "") -> Iterator[CursorWrapper]:
    """A block that the database must refuse."""
    with pytest.raises(DatabaseError, match=match), transaction.atomic(), connection.cursor() as cursor:
        yield cursor


@pytest.fixture
def furnished(alice: Caller, charlie: Caller) -> tuple[Caller, Caller]:
    """Two tenants with at least one row in every table that holds tenants' rows."""
    for caller in (alice, charlie):
        caller.post("memories", {"items": [{"text": "Both know this.", "tags": ["x"]}]}, Idempotency_Key="one")
        user = UUID(int=caller.tenant.int ^ 1)
        with tenant_rows(caller.tenant) as cursor:
            for statement in FURNITURE:
                cursor.execute(statement, {"user": user, "it": caller.tenant})
    return alice, charlie


def test_every_table_of_a_room_has_a_tenant_or_a_reason(db: None) -> None:
    rooms = ("tenants", "billing", "memory", "console")
    models = [model for room in rooms for model in apps.get_app_config(room).get_models(include_auto_created=True)]
    without = {model._meta.db_table for model in models} - tenant_tables().keys()
    assert {table for table in without if not table.startswith("tenants_user_")} == OPEN_TO_ALL.keys()


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_tenants_rows_has_the_policy_and_no_other(db: None, table: str) -> None:
    column = tenant_tables()[table]
    condition = f"({column} = (NULLIF(current_setting('loci.tenant'::text, true), ''::text))::uuid)"
    assert select("SELECT relrowsecurity FROM pg_class WHERE oid = %s::regclass", table) == [(True,)]
    assert select(
        "SELECT policyname, permissive, roles::text, cmd, qual, with_check FROM pg_policies WHERE tablename = %s", table
    ) == [("tenant_only", "PERMISSIVE", "{public}", "ALL", condition, condition)]


def test_the_role_of_the_application_owns_nothing_and_bypasses_nothing(db: None) -> None:
    app, owner = (django_settings.DATABASES[alias]["USER"] for alias in ("default", "owner"))
    assert select("SELECT current_user::text, session_user::text") == [(app, app)]
    assert select("SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = %s", app) == [
        (False, False, False)
    ]
    owned = "SELECT count(*) FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner WHERE r.rolname = %s"
    assert select(owned, app) == [(0,)]
    assert select("SELECT pg_has_role(%s, %s, 'MEMBER')", app, owner) == [(False,)]


@pytest.mark.parametrize("table", TABLES)
def test_without_a_tenant_there_are_no_rows(furnished: tuple[Caller, Caller], table: str) -> None:
    assert select(f"SELECT count(*) FROM {table}") == [(0,)]


@pytest.mark.parametrize("table", TABLES)
def test_with_a_tenant_there_are_its_rows_only(furnished: tuple[Caller, Caller], table: str) -> None:
    column = tenant_tables()[table]
    for caller in furnished:
        with tenant_rows(caller.tenant):
            assert select(f"SELECT DISTINCT {column} FROM {table}") == [(caller.tenant,)]


@pytest.mark.parametrize("table", TABLES)
def test_no_row_can_be_put_into_another_tenant(furnished: tuple[Caller, Caller], table: str) -> None:
    alice, charlie = furnished
    column = tenant_tables()[table]
    with tenant_rows(charlie.tenant) as cursor:
        cursor.execute(f"SELECT * FROM {table} LIMIT 1")
        names, row = [f'"{each.name}"' for each in cursor.description], cursor.fetchone()
    with refused("row-level security"), tenant_rows(alice.tenant) as cursor:
        cursor.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})", row)
    if table in APPEND_ONLY:
        return
    with refused("row-level security"), tenant_rows(alice.tenant) as cursor:
        cursor.execute(f"UPDATE {table} SET {column} = %s", [charlie.tenant])


@pytest.mark.parametrize("table", [table for table in TABLES if table not in APPEND_ONLY])
def test_nothing_of_another_tenant_can_be_changed_or_deleted(furnished: tuple[Caller, Caller], table: str) -> None:
    alice, charlie = furnished
    column, before = tenant_tables()[table], fingerprints(charlie.tenant)
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute(f"UPDATE {table} SET {column} = {column} WHERE {column} = %s", [charlie.tenant])
        assert cursor.rowcount == 0
        cursor.execute(f"DELETE FROM {table} WHERE {column} = %s", [charlie.tenant])
        assert cursor.rowcount == 0
    assert fingerprints(charlie.tenant) == before


def test_a_tenant_that_is_no_uuid_fails_closed(alice: Caller) -> None:
    with refused("invalid input syntax for type uuid") as cursor:
        cursor.execute("SELECT set_config('loci.tenant', 'acme', true)")
        cursor.execute("SELECT * FROM memory_version")


@pytest.mark.committed
def test_the_tenant_is_gone_after_commit_and_after_an_error(alice: Caller) -> None:
    alice.remember("Kept.")
    with tenant_rows(alice.tenant):
        assert select("SELECT count(*) FROM memory_memory") == [(1,)]
    assert select("SELECT count(*) FROM memory_memory") == [(0,)]
    with pytest.raises(ZeroDivisionError), tenant_rows(alice.tenant):
        raise ZeroDivisionError
    assert select("SELECT coalesce(current_setting('loci.tenant', true), '')") == [("",)]
    assert select("SELECT count(*) FROM memory_memory") == [(0,)]


@pytest.mark.committed
def test_the_tenant_does_not_leak_through_the_pool(alice: Caller) -> None:
    alice.remember("Kept.")

    def visit(_: int) -> tuple[object, ...]:
        try:
            (before,) = select("SELECT pg_backend_pid(), count(*) FROM memory_memory")
            with tenant_rows(alice.tenant):
                (inside,) = select("SELECT count(*) FROM memory_memory")
            return (*before, *inside)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        visits = list(threads.map(visit, range(40)))
    assert len({pid for pid, _, _ in visits}) < len(visits), "some backend was used twice"
    assert {(before, inside) for _, before, inside in visits} == {(0, 1)}


def test_leaving_an_inner_block_puts_the_outer_tenant_back(furnished: tuple[Caller, Caller]) -> None:
    alice, charlie = furnished
    with tenant_rows(alice.tenant):
        with tenant_rows(charlie.tenant):
            assert select("SELECT DISTINCT tenant_id FROM memory_version") == [(charlie.tenant,)]
        assert select("SELECT DISTINCT tenant_id FROM memory_version") == [(alice.tenant,)]
    assert select("SELECT count(*) FROM memory_version") == [(0,)]


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("change", ["UPDATE {} SET at = now()", "DELETE FROM {}", "TRUNCATE {}"])
def test_audit_and_usage_can_only_be_added_to(alice: Caller, table: str, change: str) -> None:
    alice.remember("One.")
    with refused("permission denied"), tenant_rows(alice.tenant) as cursor:
        cursor.execute(change.format(table))


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM billing_rate",
        "INSERT INTO billing_rate VALUES ('x', now())",
        "ALTER TABLE memory_version DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenant_only ON memory_version",
        "CREATE TABLE mine (x int)",
        "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "SET ROLE loci_owner",
        "SET session_replication_role = replica",
        "INSERT INTO django_migrations (app, name, applied) VALUES ('x', 'x', now())",
    ],
)
def test_the_application_may_not(db: None, statement: str) -> None:
    with refused("permission denied|must be owner") as cursor:
        cursor.execute(statement)


def test_switching_row_security_off_is_an_error_and_no_way_around(alice: Caller) -> None:
    with refused("would be affected by row-level security") as cursor:
        cursor.execute("SET LOCAL row_security = off")
        cursor.execute("SELECT * FROM memory_version")


def test_functions_that_run_as_their_owner_are_the_named_ones(db: None) -> None:
    found = select(
        "SELECT p.proname::text, pg_get_function_identity_arguments(p.oid), p.proconfig,"
        " has_function_privilege('public', p.oid, 'EXECUTE'), r.rolname::text"
        " FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner WHERE p.prosecdef"
    )
    assert {name: _inputs(str(arguments)) for name, arguments, *_ in found} == DEFINERS
    assert len(found) == len(DEFINERS), "an overload is a function of its own"
    owner = django_settings.DATABASES["owner"]["USER"]
    assert {(tuple(config or ()), public, role) for _, _, config, public, role in found} == {
        (("search_path=pg_catalog, pg_temp",), False, owner)
    }


def _inputs(arguments: str) -> str:
    return ", ".join(part for part in arguments.split(", ") if not part.startswith("OUT "))


def test_no_other_function_of_ours_can_be_called_by_everybody(db: None) -> None:
    ours = (
        "SELECT p.proname::text FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner"
        " WHERE r.rolname = %s AND has_function_privilege('public', p.oid, 'EXECUTE')"
    )
    assert select(ours, django_settings.DATABASES["owner"]["USER"]) == []


def test_functions_for_no_tenant_tell_ids_only(furnished: tuple[Caller, Caller]) -> None:
    found = select(
        "SELECT DISTINCT p.proname::text FROM pg_proc p, unnest(p.proallargtypes, p.proargmodes) AS a(type, mode)"
        " WHERE p.prosecdef AND a.mode IN ('o', 't') AND a.type = 'jsonb'::regtype"
    )
    assert found == [("loci_key_lookup",)], "documents could be memories"
    assert select("SELECT * FROM loci_key_lookup(ARRAY[%s]::bytea[])", hashlib.sha256(b"guess").digest()) == []


@pytest.mark.parametrize(
    ("table", "insert"),
    [
        (
            "memory_version",
            "INSERT INTO memory_version (id, tenant_id, memory_id, namespace, source, position, text, tier, metadata,"
            " tags, known_from, trace_id, written_by, language, embedding_space) VALUES"
            " (%(new)s, %(it)s, %(memory)s, 'default', '', 0, 'x', 'chunk', '{}', '{}', now(), '', '', 'en', '')",
        ),
        (
            "memory_indextask",
            "INSERT INTO memory_indextask (id, tenant_id, version_id, lease_until, attempts, error, created_at)"
            " VALUES (%(new)s, %(it)s, %(version)s, now(), 0, '', now())",
        ),
        (
            "memory_access",
            "INSERT INTO memory_access (tenant_id, memory_id, count, last_at) VALUES (%(it)s, %(memory)s, 1, now())",
        ),
        (
            "memory_exposure",
            "INSERT INTO memory_exposure (tenant_id, memory_id, at, count) VALUES (%(it)s, %(memory)s, now(), 1)",
        ),
        (
            "memory_goldenexpectation",
            "INSERT INTO memory_goldenexpectation (tenant_id, question_id, memory_id)"
            " VALUES (%(it)s, %(version)s, %(memory)s)",
        ),
    ],
)
def test_a_row_cannot_refer_to_another_tenants(furnished: tuple[Caller, Caller], table: str, insert: str) -> None:
    alice, charlie = furnished
    with tenant_rows(charlie.tenant):
        ((memory, version),) = select("SELECT memory_id, id FROM memory_version")
    for one, other in ((memory, version), (uuid4(), uuid4())):
        params: dict[str, Any] = {"new": uuid7(), "it": alice.tenant, "memory": one, "version": other}
        with pytest.raises(IntegrityError, match="same_tenant") as caught, tenant_rows(alice.tenant) as cursor:
            cursor.execute(insert, params)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        assert "is not present" in str(caught.value), "foreign and unknown are refused alike"


def test_every_reference_between_tenants_tables_carries_the_tenant(db: None) -> None:
    found = select(
        "SELECT c.conname::text, c.conrelid::regclass::text, c.confrelid::regclass::text,"
        " ARRAY(SELECT a.attname::text FROM unnest(c.conkey) k JOIN pg_attribute a"
        " ON a.attrelid = c.conrelid AND a.attnum = k) FROM pg_constraint c WHERE c.contype = 'f'"
    )
    tables = tenant_tables().keys() - {"tenants_tenant"}
    between = {name: columns for name, source, target, columns in found if {source, target} <= tables}
    assert between and all("tenant_id" in columns for columns in between.values()), between
