"""What a version is found by beside its vectors: its terms, and the values that filters compare."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.engine.text import Analysis, with_tags
from memory.engine.values import flatten
from memory.stores.postgres import words
from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope

MOST = 32_767
"""The highest frequency that is told apart."""
SEPARATOR = "\x1f"


def add_postings(cursor: CursorWrapper, scope: Scope, analyses: Mapping[UUID, Analysis]) -> None:
    """Insert the terms of versions, and their words into the vocabulary."""
    rows = [
        (
            term,
            version,
            min(analysis.terms.get(term, 0), MOST),
            min(analysis.tags.get(term, 0), MOST),
            analysis.length,
            # an array within an array would have to be as long as its neighbours
            SEPARATOR.join(sorted(analysis.forms.get(term, ()))),
        )
        for version, analysis in analyses.items()
        for term in analysis.everything()
    ]
    if rows:
        cursor.execute(
            """/* write.postings */ INSERT INTO memory_posting
                (tenant_id, term, version_id, frequency, in_tags, in_key, length, forms, live)
            SELECT %s, r.term, r.version_id, r.frequency, r.in_tags, 0, r.length,
                string_to_array(nullif(r.forms, ''), %s), true
            FROM unnest(%s::text[], %s::uuid[], %s::int[], %s::int[], %s::int[], %s::text[])
                AS r(term, version_id, frequency, in_tags, length, forms)""",
            [scope.tenant, SEPARATOR, *(list(column) for column in zip(*rows, strict=True))],
        )
        words.add_words(cursor, scope, analyses.values())


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
    """Make postings and filter values anew for rows of (id, text, language, metadata as JSON, tags, believed).

    Words that no posting stands for any more stay in the vocabulary until it is swept.
    """
    params = Params({"versions": [row[0] for row in rows]})
    for table in ("memory_posting", "memory_filtervalue"):
        cursor.execute(
            f"/* reindex.clear */ DELETE FROM {table} AS t WHERE {tenant_clause('t', scope, params)}"
            " AND t.version_id = ANY(%(versions)s::uuid[])",
            params.values,
        )
    add_postings(cursor, scope, {row[0]: with_tags(analyse(row[1], row[2]), row[4], row[2]) for row in rows})
    add_filter_values(cursor, scope, [(row[0], json.loads(row[3]), row[4]) for row in rows])
    params.values["ended"] = [row[0] for row in rows if not row[5]]
    cursor.execute(
        f"/* reindex.unlive */ UPDATE memory_posting AS t SET live = false WHERE {tenant_clause('t', scope, params)}"
        " AND t.version_id = ANY(%(ended)s::uuid[])",
        params.values,
    )
