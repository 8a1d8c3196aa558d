"""What happened in given windows of time, on one open transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.engine.dates import Window
from memory.engine.filters import And, Filter, Or, Range
from memory.engine.ports import Embedding
from memory.engine.types import Ranked, Search
from memory.stores.postgres.reader import PostgresReader, literal
from memory.stores.postgres.visible import Params, tenant_clause, visible
from tenants.scope import Scope

FEW = 1000
"""Windows that hold no more versions than this are compared exactly; of more, the dense search finds the nearest."""


def during(windows: Sequence[Window]) -> Filter:
    """Event time within one of `windows`."""
    ranges = tuple(Range("timestamp", gte=window.start, lt=window.end) for window in windows)
    return ranges[0] if len(ranges) == 1 else Or(ranges)


class PostgresTimes:
    """The temporal port on one cursor, which must be inside `tenant_rows` of the scope's tenant."""

    def __init__(self, cursor: CursorWrapper, reader: PostgresReader):
        self.cursor = cursor
        self.reader = reader

    def in_windows(
        self, scope: Scope, search: Search, windows: Sequence[Window], count: int, *, ascending: bool
    ) -> list[Ranked]:
        """`count` versions in the order of time; their score falls from 1."""
        params = Params()
        seen = visible("v", scope, search.view, _narrowed(search, windows).filters, params)
        order = "ASC" if ascending else "DESC"
        params.values["count"] = count
        self.cursor.execute(
            f"""/* temporal.order */ SELECT v.id FROM memory_version v WHERE {seen}
            ORDER BY v.event_at {order}, v.id LIMIT %(count)s""",
            params.values,
        )
        found = [version for (version,) in self.cursor.fetchall()]
        return [Ranked(version, 1.0 - at / len(found)) for at, version in enumerate(found)]

    def nearest_in_windows(
        self, scope: Scope, search: Search, windows: Sequence[Window], embedding: Embedding, count: int
    ) -> list[Ranked]:
        """The `count` versions nearest by meaning; then, without a vector yet, the latest. Their score is the cosine,
        -1 without a vector."""
        inside = _narrowed(search, windows)
        params = Params()
        seen = visible("v", scope, search.view, inside.filters, params)
        params.values |= {"query": literal(embedding), "few": FEW, "count": count}
        self.cursor.execute(
            f"""/* temporal.search */
            WITH inside AS MATERIALIZED (
                SELECT v.id, v.event_at FROM memory_version v WHERE {seen} LIMIT %(few)s + 1),
            size AS MATERIALIZED (SELECT count(*) AS inside FROM inside)
            SELECT inside.id, coalesce(exact.score, -1)::float8, size.inside
            FROM size CROSS JOIN inside CROSS JOIN LATERAL (
                SELECT max(-(x.embedding <#> %(query)s::vector)) AS score FROM memory_vector x
                WHERE size.inside <= %(few)s AND {tenant_clause("x", scope, params)}
                    AND x.version_id = inside.id OFFSET 0) AS exact
            ORDER BY exact.score DESC NULLS LAST, inside.event_at DESC, inside.id LIMIT %(count)s""",
            params.values,
        )
        rows = self.cursor.fetchall()
        if rows and rows[0][2] > FEW:
            return self.reader.nearest(scope, inside, embedding, count)
        return [Ranked(version, score) for version, score, _ in rows]

    def moments(self, scope: Scope, versions: Sequence[UUID]) -> dict[UUID, datetime]:
        """The event time of each of `versions` that has one."""
        params = Params()
        where = tenant_clause("v", scope, params)
        params.values["versions"] = list(versions)
        self.cursor.execute(
            f"""/* temporal.moments */ SELECT v.id, v.event_at FROM memory_version v
            WHERE {where} AND v.id = ANY(%(versions)s::uuid[]) AND v.event_at IS NOT NULL""",
            params.values,
        )
        return dict(self.cursor.fetchall())


def _narrowed(search: Search, windows: Sequence[Window]) -> Search:
    inside = during(windows)
    return replace(search, filters=inside if search.filters is None else And((search.filters, inside)))
