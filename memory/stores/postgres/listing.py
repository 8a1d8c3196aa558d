"""Lists and counts over a tenant's memories for people: newest first, in samples, and never all of a tenant."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.engine.filters import Filter
from memory.engine.types import NOW, Record, View
from memory.stores.postgres.records import SELECT, record_of
from memory.stores.postgres.visible import Params, in_reach, narrowed, tenant_clause, visible
from tenants.scope import Scope


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a list: the instant by which it is ordered, and the version that stands there."""

    at: datetime
    version: UUID


def newest(
    cursor: CursorWrapper, scope: Scope, *, after: Place | None, limit: int, filters: Filter | None = None
) -> list[Record]:
    """What is believed now, by when Loci came to know it, newest first."""
    params = Params()
    clauses = [visible("v", scope, NOW, filters, params)]
    if after is not None:
        clauses.append(f"(v.known_from, v.id) < ({params.add(after.at)}, {params.add(after.version)})")
    cursor.execute(
        f"/* listing.newest */ SELECT {SELECT} FROM memory_version v WHERE {' AND '.join(clauses)}"
        f" ORDER BY v.known_from DESC, v.id DESC LIMIT {params.add(limit)}",
        params.values,
    )
    return [record_of(row) for row in cursor.fetchall()]


def retracted(
    cursor: CursorWrapper, scope: Scope, *, after: Place | None, limit: int, filters: Filter | None = None
) -> list[Record]:
    """What was retracted and not restored, the last retraction first."""
    params = Params()
    clauses = [in_reach("v", scope, params), "v.invalidated_at IS NOT NULL"]
    if rest := narrowed("v", scope, filters, params):
        clauses.append(rest)
    if after is not None:
        clauses.append(f"(v.known_to, v.id) < ({params.add(after.at)}, {params.add(after.version)})")
    cursor.execute(
        f"/* listing.retracted */ SELECT {SELECT} FROM memory_version v WHERE {' AND '.join(clauses)}"
        f" ORDER BY v.known_to DESC, v.id DESC LIMIT {params.add(limit)}",
        params.values,
    )
    return [record_of(row) for row in cursor.fetchall()]


def shares(cursor: CursorWrapper, scope: Scope, sample: int) -> list[tuple[str, str | None, str, int]]:
    """(tier, kind, namespace, how many) of the newest `sample` of what is believed now."""
    params = Params()
    seen = visible("v", scope, NOW, None, params)
    cursor.execute(
        "/* listing.shares */ SELECT n.tier, n.kind, n.namespace, count(*) FROM ("
        f"SELECT v.tier, v.kind, v.namespace FROM memory_version v WHERE {seen}"
        f" ORDER BY v.known_from DESC, v.id DESC LIMIT {params.add(sample)}) AS n GROUP BY 1, 2, 3",
        params.values,
    )
    return cursor.fetchall()


def keys(cursor: CursorWrapper, scope: Scope, limit: int) -> list[str]:
    """The first `limit` fields that a tenant's memories can be filtered by, in order of their names.

    One look into the index for each: a DISTINCT would read all of it.
    """
    params = Params()
    own = tenant_clause("f", scope, params)
    cursor.execute(
        f"""/* listing.keys */ WITH RECURSIVE found(key, n) AS (
            (SELECT f.key, 1 FROM memory_filtervalue f WHERE {own} ORDER BY f.key LIMIT 1)
            UNION ALL
            SELECT (SELECT f.key FROM memory_filtervalue f WHERE {own} AND f.key > found.key
                    ORDER BY f.key LIMIT 1), found.n + 1
            FROM found WHERE found.key IS NOT NULL AND found.n < {params.add(limit)})
        SELECT key FROM found WHERE key IS NOT NULL""",
        params.values,
    )
    return [row[0] for row in cursor.fetchall()]


def matching(cursor: CursorWrapper, scope: Scope, filters: Filter | None, view: View, most: int) -> int:
    """How many versions pass, counted up to `most`."""
    params = Params()
    seen = visible("v", scope, view, filters, params)
    cursor.execute(
        f"/* listing.matching */ SELECT count(*) FROM (SELECT 1 FROM memory_version v WHERE {seen}"
        # an order that only an index of the tenant's has: without one, rows of all tenants are read until it is enough
        f" ORDER BY v.memory_id LIMIT {params.add(most)}) AS n",
        params.values,
    )
    return int(cursor.fetchone()[0])


def rows_of(cursor: CursorWrapper, scope: Scope, memory: UUID) -> Sequence[int]:
    """How many versions of a memory there are, and how many vectors, words and filter values of theirs."""
    params = Params()
    mine = in_reach("v", scope, params)
    params.values["memory"] = memory
    counts = ", ".join(
        f"(SELECT count(*) FROM {table} x WHERE {tenant_clause('x', scope, params)}"
        " AND x.version_id = ANY(ARRAY(SELECT id FROM mine)))"
        for table in ("memory_vector", "memory_posting", "memory_filtervalue")
    )
    cursor.execute(
        "/* listing.rows */ WITH mine AS MATERIALIZED ("
        f"SELECT v.id FROM memory_version v WHERE {mine} AND v.memory_id = %(memory)s)"
        f" SELECT (SELECT count(*) FROM mine), {counts}",
        params.values,
    )
    found: Sequence[int] = cursor.fetchone()
    return found
