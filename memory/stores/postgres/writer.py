"""Rows of one write, each kind in one statement, in the transaction of the cursor. Locks: memories first, in order
of id; what the whole tenant shares last (`settle`)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from loci.ground.instants import parse_instant, to_text
from memory.stores.postgres import words
from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope

_VERSION_COLUMNS = {
    "id": "uuid", "memory_id": "uuid", "namespace": "text", "key": "text", "source": "text", "position": "bigint",
    "text": "text", "tier": "text", "kind": "text", "event_at": "timestamptz", "metadata": "jsonb", "tags": "text[]",
    "agent": "text", "subject": "text", "confidence": "float8", "valid_from": "timestamptz", "valid_to": "timestamptz",
    "known_from": "timestamptz", "known_to": "timestamptz", "invalidated_at": "timestamptz",
    "expires_at": "timestamptz", "content_hash": "text", "trace_id": "text", "written_by": "text", "language": "text",
    "embedding_space": "text", "indexed_at": "timestamptz",
}  # fmt: skip


@dataclass(slots=True)
class Change:
    """What a write did to the tenant's shared figures."""

    memories: int = 0
    documents: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Current:
    """The newest version of a memory, locked: its row as `records.FIELDS` name them is read elsewhere."""

    memory: UUID
    version: UUID
    text: str
    known_from: datetime
    known_to: datetime | None
    invalidated_at: datetime | None
    facts: Mapping[str, Any]

    def moment(self, name: str) -> datetime | None:
        """An instant of `facts`, where they stand as JSON has them."""
        return parse_instant(said, naive_is_utc=True) if (said := self.facts[name]) else None


def add_memories(cursor: CursorWrapper, scope: Scope, rows: Sequence[tuple[UUID, str, str, int]]) -> set[UUID]:
    """Insert (id, namespace, source, position) where the id is new; the new ids. Waits for concurrent twins."""
    ordered = sorted(rows)
    cursor.execute(
        """/* write.memories */ INSERT INTO memory_memory (id, tenant_id, namespace, source, position, created_at)
        SELECT r.id, %s, r.namespace, r.source, r.position, clock_timestamp()
        FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::bigint[]) AS r(id, namespace, source, position)
        ON CONFLICT DO NOTHING RETURNING id""",
        [scope.tenant, *(list(column) for column in zip(*ordered, strict=True))],
    )
    return {row[0] for row in cursor.fetchall()}


def lock_current(cursor: CursorWrapper, scope: Scope, memories: Iterable[UUID]) -> dict[UUID, Current]:
    """Lock memories in order of id and read the newest version of each: the believed one, else the last."""
    params = Params()
    clause = tenant_clause("m", scope, params)
    params.values["memories"] = sorted(memories)
    cursor.execute(
        f"/* write.lock */ SELECT m.id FROM memory_memory m WHERE {clause} AND m.id = ANY(%(memories)s::uuid[])"
        " ORDER BY m.id FOR UPDATE",
        params.values,
    )
    # one that was erased while we waited may be there again, new and not locked: it is left out
    params.values["memories"] = [row[0] for row in cursor.fetchall()]
    cursor.execute(
        f"""/* write.current */ SELECT DISTINCT ON (v.memory_id) v.memory_id, v.id, v.text, v.known_from, v.known_to,
            v.invalidated_at, to_json(v) FROM memory_version v
        WHERE {tenant_clause("v", scope, params)} AND v.memory_id = ANY(%(memories)s::uuid[])
        ORDER BY v.memory_id, (v.known_to IS NULL) DESC, v.known_from DESC""",
        params.values,
    )
    return {row[0]: Current(*row) for row in cursor.fetchall()}


def transaction_time(cursor: CursorWrapper, current: Iterable[Current]) -> datetime:
    """The clock, or one microsecond after the last change of any of `current`, whichever is later."""
    cursor.execute("SELECT clock_timestamp()")
    now: datetime = cursor.fetchone()[0]
    ends = [moment for row in current for moment in (row.known_from, row.known_to) if moment]
    return max([now, *(end + timedelta(microseconds=1) for end in ends)])


def add_versions(cursor: CursorWrapper, scope: Scope, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert versions given by column name; instants may be datetimes."""
    names = ", ".join(_VERSION_COLUMNS)
    types = ", ".join(f"{name} {kind}" for name, kind in _VERSION_COLUMNS.items())
    document = json.dumps([{name: _plain(row.get(name)) for name in _VERSION_COLUMNS} for row in rows])
    cursor.execute(
        f"/* write.versions */ INSERT INTO memory_version (tenant_id, {names})"
        f" SELECT %s, {names} FROM json_to_recordset(%s::json) AS r({types})",
        [scope.tenant, document],
    )


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_text(value)
    return str(value) if isinstance(value, UUID) else value


def close_versions(
    cursor: CursorWrapper,
    scope: Scope,
    versions: Sequence[UUID],
    at: datetime,
    *,
    invalidated_at: datetime | None = None,
    valid_to: datetime | None = None,
) -> Change:
    """Stop believing `versions` at `at`; `invalidated_at` marks a retraction. The indexes follow in the same breath."""
    params = Params({"versions": list(versions), "at": at, "invalidated": invalidated_at, "valid_to": valid_to})
    for table, id_column in (("memory_version", "id"), ("memory_sign", "version_id")):
        cursor.execute(
            f"/* write.close */ UPDATE {table} AS t SET known_to = %(at)s,"
            " invalidated_at = %(invalidated)s::timestamptz, valid_to = coalesce(%(valid_to)s::timestamptz, t.valid_to)"
            f" WHERE {tenant_clause('t', scope, params)} AND t.{id_column} = ANY(%(versions)s::uuid[])"
            " AND t.known_to IS NULL",
            params.values,
        )
    cursor.execute(
        f"""/* write.unlive */ WITH gone AS (
            UPDATE memory_posting AS p SET live = false WHERE {tenant_clause("p", scope, params)}
                AND p.version_id = ANY(%(versions)s::uuid[]) AND p.live RETURNING p.version_id, p.length),
            each AS (SELECT version_id, max(length) AS length FROM gone GROUP BY version_id)
        SELECT count(*), coalesce(sum(length), 0) FROM each""",
        params.values,
    )
    documents, length = cursor.fetchone()
    return Change(documents=-documents, length=-length)


def unmark_retracted(cursor: CursorWrapper, scope: Scope, versions: Sequence[UUID]) -> None:
    """Retracted versions that have a successor now are plain history."""
    params = Params({"versions": list(versions)})
    for table, id_column in (("memory_version", "id"), ("memory_sign", "version_id")):
        cursor.execute(
            f"/* write.unmark */ UPDATE {table} AS t SET invalidated_at = NULL"
            f" WHERE {tenant_clause('t', scope, params)} AND t.{id_column} = ANY(%(versions)s::uuid[])",
            params.values,
        )


def erase_memories(cursor: CursorWrapper, scope: Scope, memories: Sequence[UUID]) -> Change:
    """Delete memories with all versions and index rows, and the words that only they held."""
    params = Params({"memories": list(memories)})
    cursor.execute(
        f"/* erase.versions */ SELECT v.id FROM memory_version v WHERE {tenant_clause('v', scope, params)}"
        " AND v.memory_id = ANY(%(memories)s::uuid[]) ORDER BY v.id FOR UPDATE",
        params.values,
    )
    params.values["versions"] = [row[0] for row in cursor.fetchall()]
    cursor.execute(
        f"""/* erase.live */ SELECT count(*), coalesce(sum(length), 0) FROM (
            SELECT DISTINCT p.version_id, p.length FROM memory_posting p WHERE {tenant_clause("p", scope, params)}
                AND p.version_id = ANY(%(versions)s::uuid[]) AND p.live) AS each""",
        params.values,
    )
    documents, length = cursor.fetchone()
    held = words.words_of(cursor, scope, params.values["versions"])
    for table, id_column, ids in (
        ("memory_posting", "version_id", "versions"),
        ("memory_sign", "version_id", "versions"),
        ("memory_vector", "version_id", "versions"),
        ("memory_filtervalue", "version_id", "versions"),
        ("memory_indextask", "version_id", "versions"),
        ("memory_version", "id", "versions"),
        ("memory_memory", "id", "memories"),
    ):
        cursor.execute(
            f"/* erase.rows */ DELETE FROM {table} AS t WHERE {tenant_clause('t', scope, params)}"
            f" AND t.{id_column} = ANY(%({ids})s::uuid[])",
            params.values,
        )
    gone = cursor.rowcount
    words.drop_unused(cursor, scope, held)
    return Change(memories=-gone, documents=-documents, length=-length)


def settle(cursor: CursorWrapper, scope: Scope, change: Change) -> None:
    """Bring the tenant's lexical statistics up to date; locks them until commit."""
    cursor.execute(
        """/* write.corpus */ INSERT INTO memory_corpus AS c
            (tenant_id, documents, length, embedding_space, embedding_label) VALUES (%s, %s, %s, '', '')
        ON CONFLICT (tenant_id) DO UPDATE
        SET documents = c.documents + excluded.documents, length = c.length + excluded.length""",
        [scope.tenant, change.documents, change.length],
    )
