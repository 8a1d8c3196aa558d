"""Vectors and their sign bits, in the transaction of the cursor."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.stores.postgres import outbox
from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope

SEEN = "namespace, known_from, known_to, valid_from, valid_to, invalidated_at, expires_at"
"""What decides who sees a version and when: it stands beside the sign bits too, so that the search reads them alone."""
_SEEN_OF_V = ", ".join(f"v.{column}" for column in SEEN.split(", "))


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
        f"""/* write.copy_signs */ INSERT INTO memory_sign (tenant_id, version_id, ordinal, bits, {SEEN})
        SELECT s.tenant_id, v.id, s.ordinal, s.bits, {_SEEN_OF_V}
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
    outbox.drop_tasks(cursor, scope, wanted)
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
        f"""/* index.signs */ INSERT INTO memory_sign (tenant_id, version_id, ordinal, bits, {SEEN})
        SELECT v.tenant_id, v.id, r.ordinal, r.bits::bit varying, {_SEEN_OF_V}
        FROM unnest(%(versions)s::uuid[], %(ordinals)s::int[], %(signs)s::text[]) AS r(version_id, ordinal, bits)
        JOIN memory_version v ON {tenant_clause("v", scope, params)} AND v.id = r.version_id
        ON CONFLICT (tenant_id, version_id, ordinal) DO UPDATE SET bits = excluded.bits""",
        params.values,
    )
