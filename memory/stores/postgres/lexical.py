"""The embedded lexical store: BM25 over postings, on one open transaction.

A term counts in each field by that field's weight before it is saturated (BM25F); the length is that of the text.
"""

import math
from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.engine.lexis import Near, Plan
from memory.engine.ports import LexicalHits
from memory.engine.tuning import FIELD_WEIGHTS
from memory.engine.types import Ranked, Search
from memory.stores.postgres import planned, words
from memory.stores.postgres.bm25 import bm25, frequency
from memory.stores.postgres.corpus import Figures
from memory.stores.postgres.visible import Params, among, tenant_clause, visible
from tenants.scope import Scope


class PostgresWords:
    """The lexical port on one cursor, which must be inside `tenant_rows` of the scope's tenant."""

    def __init__(self, cursor: CursorWrapper, figures: Figures, fields: Mapping[str, float] = FIELD_WEIGHTS):
        self.cursor = cursor
        self.figures = figures
        self.fields = fields

    def matching(self, scope: Scope, search: Search, terms: Mapping[str, float], count: int) -> LexicalHits:
        """BM25 with the tenant's own document frequencies over what it believes, live at once."""
        params = Params()
        row_visible = visible("v", scope, search.view, search.filters, params)
        live = "p.live" if search.view.is_now else "true"
        found = frequency("p", self.fields, params)
        params.values |= {
            "terms": list(terms),
            "factors": list(terms.values()),
            "count": count,
            "documents": max(1, self.figures.documents),
            "mean": self.figures.mean,
        }
        self.cursor.execute(
            f"""/* lexical.search */
            WITH hits AS MATERIALIZED (
                SELECT p.term, p.version_id, {found} AS frequency, p.length, p.live FROM memory_posting p
                WHERE {tenant_clause("p", scope, params)} AND p.term = ANY(%(terms)s::text[]) AND ({live})),
            weights AS MATERIALIZED (
                SELECT f.term, q.factor
                    * ln(1 + (greatest(%(documents)s::bigint - n, 0) + 0.5) / (n + 0.5))::float8 AS weight
                FROM (SELECT term, count(*) FILTER (WHERE hits.live) AS n FROM hits WHERE frequency > 0 GROUP BY term)
                    AS f JOIN unnest(%(terms)s::text[], %(factors)s::float8[]) AS q(term, factor) ON q.term = f.term),
            scored AS (
                SELECT version_id, sum(weight * {bm25("frequency", "hits.length")})::float8 AS score
                FROM hits JOIN weights USING (term) WHERE frequency > 0{among(scope, search, params)}
                GROUP BY version_id)
            SELECT ranked.version_id, ranked.score,
                   CASE WHEN row_number() OVER () = 1
                        THEN (SELECT json_object_agg(term, weight) FROM weights) END
            FROM (SELECT * FROM scored ORDER BY score DESC, version_id) AS ranked
            CROSS JOIN LATERAL (SELECT 1 FROM memory_version v
                WHERE v.id = ranked.version_id AND {row_visible} OFFSET 0) AS seen
            LIMIT %(count)s""",
            params.values,
        )
        rows = self.cursor.fetchall()
        weights: Mapping[str, float] = rows[0][2] if rows else {}
        unseen = math.log(1 + (max(1, self.figures.documents) + 0.5) / 0.5)
        # a word that was only taken for another one says no more than what it found
        information = sum(weights.get(term, unseen if factor == 1 else 0) for term, factor in terms.items())
        return LexicalHits([Ranked(version, score) for version, score, _ in rows], weights, information)

    def planned(self, scope: Scope, search: Search, plan: Plan, count: int) -> LexicalHits:
        """Versions that are as `plan` says; where texts decide, as many as there is time to look at."""
        return planned.run(self.cursor, planned.Query(scope, search, plan, self.figures, self.fields), count)

    def alike(self, scope: Scope, given: Sequence[str], count: int) -> dict[str, list[Near]]:
        """Up to `count` words within reach that each of those given may have been meant to be."""
        return words.alike(self.cursor, scope, given, count)

    def seen(self, scope: Scope, terms: Sequence[str]) -> set[str]:
        """Those of `terms` that stand in a version within reach."""
        return words.seen(self.cursor, scope, terms)

    def between(self, scope: Scope, gaps: Sequence[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
        """What may stand between two characters of a script without spaces."""
        return words.between(self.cursor, scope, gaps) if gaps else {}

    def standing(self, scope: Scope, versions: Sequence[UUID], near: Sequence[Near]) -> set[str]:
        """Those of the words `near` that stand in any of `versions`."""
        return words.standing(self.cursor, scope, versions, near)
