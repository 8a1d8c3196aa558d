"""Versions as answers show them: by version id, by memory id, by source."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from loci.ground.instants import to_text
from memory.engine.filters import Filter
from memory.engine.types import NOW, Record, Search, View
from memory.stores.postgres.visible import Params, at_time, in_reach, is_newest, narrowed, tenant_clause, visible
from tenants.scope import Scope

FIELDS = [
    "memory_id",
    "id",
    "text",
    "source",
    "position",
    "namespace",
    "key",
    "tier",
    "kind",
    "event_at",
    "metadata",
    "tags",
    "agent",
    "subject",
    "confidence",
    "valid_from",
    "valid_to",
    "known_from",
    "known_to",
    "invalidated_at",
    "expires_at",
    "content_hash",
    "trace_id",
    "written_by",
    "language",
    "indexed_at",
]
SELECT = ", ".join(f"v.{name}" for name in FIELDS)


def record_of(row: Sequence[Any]) -> Record:
    """A row of `FIELDS` as a record; instants become RFC 3339 text."""
    values = dict(zip(FIELDS, row, strict=True))
    payload: dict[str, Any] = {
        name: to_text(value) if isinstance(value, datetime) else value
        for name, value in values.items()
        if name not in ("memory_id", "id", "text")
    }
    if isinstance(payload["metadata"], str):  # a raw cursor hands jsonb over as text
        payload["metadata"] = json.loads(payload["metadata"])
    payload["offset"] = payload.pop("position")
    payload["timestamp"] = payload.pop("event_at")
    return Record(values["memory_id"], values["id"], values["text"], payload)


def by_version(cursor: CursorWrapper, scope: Scope, versions: Sequence[UUID]) -> dict[UUID, Record]:
    """Records of versions that a recall found visible already; the tenant and namespaces are checked once more."""
    params = Params()
    clause = in_reach("v", scope, params)
    params.values["versions"] = list(versions)
    cursor.execute(
        f"/* records.by_version */ SELECT {SELECT} FROM memory_version v"
        f" WHERE {clause} AND v.id = ANY(%(versions)s::uuid[])",
        params.values,
    )
    return {record.version: record for record in map(record_of, cursor.fetchall())}


def memories_of(cursor: CursorWrapper, scope: Scope, versions: Sequence[UUID]) -> dict[UUID, UUID]:
    """Version → memory, for those within reach."""
    params = Params()
    clause = in_reach("v", scope, params)
    cursor.execute(
        f"/* records.memories */ SELECT v.id, v.memory_id FROM memory_version v"
        f" WHERE {clause} AND v.id = ANY({params.add(list(versions))}::uuid[])",
        params.values,
    )
    return dict(cursor.fetchall())


def visible_of(cursor: CursorWrapper, scope: Scope, memories: Sequence[UUID], search: Search) -> dict[UUID, UUID]:
    """Memory → the newest of its versions that the search may show, for those of `memories` that have one."""
    params = Params()
    clauses = [visible("v", scope, search.view, search.filters, params)]
    clauses.append(f"v.memory_id = ANY({params.add(list(memories))}::uuid[])")
    cursor.execute(
        f"/* records.visible_of */ SELECT v.memory_id, v.id FROM memory_version v WHERE {' AND '.join(clauses)}"
        " ORDER BY v.known_from",
        params.values,
    )
    return dict(cursor.fetchall())


def latest(cursor: CursorWrapper, scope: Scope, memory: UUID) -> Record | None:
    """The newest version of a memory that the scope reaches, retracted or not; None when there is none."""
    params = Params()
    clauses = [in_reach("v", scope, params), f"v.memory_id = {params.add(memory)}", is_newest("v", scope, params)]
    if rest := narrowed("v", scope, None, params):
        clauses.append(rest)
    cursor.execute(
        f"/* records.latest */ SELECT {SELECT} FROM memory_version v WHERE {' AND '.join(clauses)}",
        params.values,
    )
    row = cursor.fetchone()
    return record_of(row) if row else None


def reached(cursor: CursorWrapper, scope: Scope, memories: Sequence[UUID]) -> set[UUID]:
    """Those of `memories` whose newest version the scope reaches."""
    params = Params()
    clauses = [in_reach("v", scope, params), is_newest("v", scope, params)]
    if rest := narrowed("v", scope, None, params):
        clauses.append(rest)
    cursor.execute(
        f"/* records.reached */ SELECT v.memory_id FROM memory_version v WHERE {' AND '.join(clauses)}"
        f" AND v.memory_id = ANY({params.add(list(memories))}::uuid[])",
        params.values,
    )
    return {row[0] for row in cursor.fetchall()}


def versions_of(cursor: CursorWrapper, scope: Scope, memory: UUID, limit: int = 100) -> list[Record]:
    """All versions of a memory that the scope reaches, newest first; at most `limit`."""
    params = Params()
    clauses = [in_reach("v", scope, params), f"v.memory_id = {params.add(memory)}"]
    if rest := narrowed("v", scope, None, params):
        clauses.append(rest)
    cursor.execute(
        f"/* records.versions */ SELECT {SELECT} FROM memory_version v WHERE {' AND '.join(clauses)}"
        f" ORDER BY v.known_from DESC, v.id DESC LIMIT {params.add(limit)}",
        params.values,
    )
    return [record_of(row) for row in cursor.fetchall()]


def page(
    cursor: CursorWrapper,
    scope: Scope,
    *,
    source: str | None,
    after: UUID | None,
    limit: int,
    filters: Filter | None = None,
    view: View = NOW,
) -> list[Record]:
    """Believed versions in order of memory id, from after `after`; `source` None is any."""
    params = Params()
    clauses = [visible("v", scope, view, filters, params)]
    if source is not None:
        clauses.append(f"v.source = {params.add(source)}")
    if after is not None:
        clauses.append(f"v.memory_id > {params.add(after)}")
    cursor.execute(
        f"/* records.page */ SELECT {SELECT} FROM memory_version v WHERE {' AND '.join(clauses)}"
        f" ORDER BY v.memory_id, v.id LIMIT {params.add(limit)}",
        params.values,
    )
    return [record_of(row) for row in cursor.fetchall()]


def knows_key(cursor: CursorWrapper, scope: Scope, field: str, view: View) -> bool:
    """Whether any memory that the scope reaches has a metadata field, retracted or not.

    A memory is what became of it: what it was before tells nothing, least of all to a key whose reach it has left
    since. Only a view of what was believed at some time goes by what memories were then.
    """
    params = Params()
    newest = f"(v.known_to IS NULL OR {is_newest('v', scope, params)})"
    inner = [
        in_reach("v", scope, params), "v.id = f.version_id", at_time("v", view, params) if view.known_at else newest,
    ]  # fmt: skip
    if rest := narrowed("v", scope, None, params):
        inner.append(rest)
    clause = tenant_clause("f", scope, params)
    cursor.execute(
        f"/* records.knows_key */ SELECT EXISTS (SELECT 1 FROM memory_filtervalue f WHERE {clause}"
        f" AND f.key = {params.add(field)}"
        f" AND EXISTS (SELECT 1 FROM memory_version v WHERE {' AND '.join(inner)}))",
        params.values,
    )
    return bool(cursor.fetchone()[0])
