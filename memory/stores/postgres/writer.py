"""Rows of one write, each kind in one statement, in the transaction of the cursor. Locks: memories first, in order
of id; what the whole tenant shares last (`settle`)."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from loci.ground.instants import parse_instant, to_text
from memory.engine.text import Analysis
from memory.engine.values import flatten
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


def add_postings(cursor: CursorWrapper, scope: Scope, analyses: Mapping[UUID, Analysis]) -> None:
    """Insert the terms of versions."""
    columns: tuple[list[str], list[UUID], list[int], list[int]] = ([], [], [], [])
    for version, analysis in analyses.items():
        columns[0].extend(analysis.terms)
        columns[1].extend([version] * len(analysis.terms))
        columns[2].extend(min(frequency, 32767) for frequency in analysis.terms.values())
        columns[3].extend([analysis.length] * len(analysis.terms))
    if columns[0]:
        cursor.execute(
            """/* write.postings */ INSERT INTO memory_posting (tenant_id, term, version_id, frequency, length, live)
            SELECT %s, r.term, r.version_id, r.frequency, r.length, true
            FROM unnest(%s::text[], %s::uuid[], %s::int[], %s::int[]) AS r(term, version_id, frequency, length)""",
            [scope.tenant, *columns],
        )


def add_filter_values(
    cursor: CursorWrapper, scope: Scope, versions: Iterable[tuple[UUID, Mapping[str, Any], Sequence[str]]]
) -> None:
    """Insert the filterable values of (version, metadata, tags)."""
    rows = [
        (version, field, ordinal, value.text, value.number, value.moment)
        for version, metadata, tags in versions
        for field, ordinal, value in flatten(metadata, tags)
    ]
    if rows:
        cursor.execute(
            """/* write.filter_values */ INSERT INTO memory_filtervalue
                (tenant_id, version_id, key, ordinal, text_value, number_value, time_value)
            SELECT %s, r.* FROM unnest(%s::uuid[], %s::text[], %s::int[], %s::text[], %s::float8[], %s::timestamptz[])
                AS r(version_id, key, ordinal, text_value, number_value, time_value)""",
            [scope.tenant, *(list(column) for column in zip(*rows, strict=True))],
        )


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


def copy_vectors(cursor: CursorWrapper, scope: Scope, pairs: Mapping[UUID, UUID]) -> set[UUID]:
    """Give new versions (values) the vectors of old ones (keys) with the same text; the new ones that have some now."""
    if not pairs:
        return set()
    params = Params({"old": list(pairs), "new": list(pairs.values())})
    cursor.execute(
        f"""/* write.copy_vectors */ INSERT INTO memory_vector (tenant_id, version_id, ordinal, embedding)
        SELECT x.tenant_id, r.new, x.ordinal, x.embedding
        FROM unnest(%(old)s::uuid[], %(new)s::uuid[]) AS r(old, new)
        JOIN memory_vector x ON {tenant_clause("x", scope, params)} AND x.version_id = r.old RETURNING version_id""",
        params.values,
    )
    copied = {row[0] for row in cursor.fetchall()}
    cursor.execute(
        f"""/* write.copy_signs */ INSERT INTO memory_sign (tenant_id, version_id, ordinal, namespace, known_from,
            known_to, valid_from, valid_to, invalidated_at, expires_at, bits)
        SELECT s.tenant_id, v.id, s.ordinal, v.namespace, v.known_from, v.known_to, v.valid_from, v.valid_to,
            v.invalidated_at, v.expires_at, s.bits
        FROM unnest(%(old)s::uuid[], %(new)s::uuid[]) AS r(old, new)
        JOIN memory_sign s ON {tenant_clause("s", scope, params)} AND s.version_id = r.old
        JOIN memory_version v ON {tenant_clause("v", scope, params)} AND v.id = r.new""",
        params.values,
    )
    return copied


def mark_indexed(cursor: CursorWrapper, scope: Scope, versions: Sequence[UUID], space: str = "") -> None:
    """Note that every index has `versions`; `space` is that of their vectors."""
    if versions:
        params = Params({"versions": list(versions), "space": space})
        cursor.execute(
            "/* write.indexed */ UPDATE memory_version AS t SET indexed_at = clock_timestamp(),"
            " embedding_space = %(space)s"
            f" WHERE {tenant_clause('t', scope, params)} AND t.id = ANY(%(versions)s::uuid[])",
            params.values,
        )


def add_vectors(
    cursor: CursorWrapper, scope: Scope, rows: Sequence[tuple[UUID, int, str, str]], space: str
) -> set[UUID]:
    """Insert (version, ordinal, embedding, signs) for versions that still exist, and take their tasks off the outbox.

    Locks the versions: a concurrent erasure comes wholly before or wholly after. The versions that were there.
    """
    params = Params()
    wanted = sorted({row[0] for row in rows})
    cursor.execute(
        f"/* index.lock */ SELECT v.id FROM memory_version v WHERE {tenant_clause('v', scope, params)}"
        f" AND v.id = ANY({params.add(wanted)}::uuid[]) ORDER BY v.id FOR NO KEY UPDATE",
        params.values,
    )
    there = {row[0] for row in cursor.fetchall()}
    kept = [row for row in rows if row[0] in there]
    if kept:
        columns = [list(column) for column in zip(*kept, strict=True)]
        _insert_vectors(cursor, scope, columns)
        mark_indexed(cursor, scope, sorted(there), space)
    drop_tasks(cursor, scope, wanted)
    return there


def _insert_vectors(cursor: CursorWrapper, scope: Scope, columns: Sequence[list[Any]]) -> None:
    cursor.execute(
        """/* index.vectors */ INSERT INTO memory_vector (tenant_id, version_id, ordinal, embedding)
        SELECT %s, r.version_id, r.ordinal, r.embedding::vector
        FROM unnest(%s::uuid[], %s::int[], %s::text[]) AS r(version_id, ordinal, embedding)
        ON CONFLICT (tenant_id, version_id, ordinal) DO UPDATE SET embedding = excluded.embedding""",
        [scope.tenant, *columns[:3]],
    )
    params = Params({"versions": columns[0], "ordinals": columns[1], "signs": columns[3]})
    cursor.execute(
        f"""/* index.signs */ INSERT INTO memory_sign (tenant_id, version_id, ordinal, namespace, known_from, known_to,
            valid_from, valid_to, invalidated_at, expires_at, bits)
        SELECT v.tenant_id, v.id, r.ordinal, v.namespace, v.known_from, v.known_to, v.valid_from, v.valid_to,
            v.invalidated_at, v.expires_at, r.bits::bit varying
        FROM unnest(%(versions)s::uuid[], %(ordinals)s::int[], %(signs)s::text[]) AS r(version_id, ordinal, bits)
        JOIN memory_version v ON {tenant_clause("v", scope, params)} AND v.id = r.version_id
        ON CONFLICT (tenant_id, version_id, ordinal) DO UPDATE SET bits = excluded.bits""",
        params.values,
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


def replace_derived(
    cursor: CursorWrapper, scope: Scope, rows: Sequence[Sequence[Any]], analyse: Callable[[str, str], Analysis]
) -> None:
    """Make postings and filter values anew for rows of (id, text, language, metadata as JSON, tags, believed)."""
    params = Params({"versions": [row[0] for row in rows]})
    for table in ("memory_posting", "memory_filtervalue"):
        cursor.execute(
            f"/* reindex.clear */ DELETE FROM {table} AS t WHERE {tenant_clause('t', scope, params)}"
            " AND t.version_id = ANY(%(versions)s::uuid[])",
            params.values,
        )
    add_postings(cursor, scope, {row[0]: analyse(row[1], row[2]) for row in rows})
    add_filter_values(cursor, scope, [(row[0], json.loads(row[3]), row[4]) for row in rows])
    params.values["ended"] = [row[0] for row in rows if not row[5]]
    cursor.execute(
        f"/* reindex.unlive */ UPDATE memory_posting AS t SET live = false WHERE {tenant_clause('t', scope, params)}"
        " AND t.version_id = ANY(%(ended)s::uuid[])",
        params.values,
    )


def erase_memories(cursor: CursorWrapper, scope: Scope, memories: Sequence[UUID]) -> Change:
    """Delete memories with all versions and index rows."""
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
    return Change(memories=-cursor.rowcount, documents=-documents, length=-length)


def settle(cursor: CursorWrapper, scope: Scope, change: Change) -> None:
    """Bring the tenant's lexical statistics up to date; locks them until commit."""
    cursor.execute(
        """/* write.corpus */ INSERT INTO memory_corpus AS c
            (tenant_id, documents, length, embedding_space, embedding_label) VALUES (%s, %s, %s, '', '')
        ON CONFLICT (tenant_id) DO UPDATE
        SET documents = c.documents + excluded.documents, length = c.length + excluded.length""",
        [scope.tenant, change.documents, change.length],
    )
