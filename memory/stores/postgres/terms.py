"""What a version is found by beside its vectors: its terms, and the values that filters compare."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.engine.text import Analysis
from memory.engine.values import flatten
from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope


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
