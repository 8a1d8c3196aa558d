"""The embedded vector store, and the pool: exact within what scope, view and filters leave, on one open transaction."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.engine.lending import RADIUS, links
from memory.engine.ports import Embedding
from memory.engine.tuning import FIELD_WEIGHTS
from memory.engine.types import Link, Neighbour, PoolItem, Ranked, Search
from memory.stores.postgres.bm25 import bm25, frequency
from memory.stores.postgres.corpus import Figures
from memory.stores.postgres.visible import Params, at_time, in_reach, narrowed, tenant_clause
from tenants.scope import Scope

CANDIDATES = 400
"""Sign-bit candidates compared exactly, at least; one more for every 40 documents keeps recall@10 above 0.99."""


def literal(embedding: Embedding) -> str:
    """pgvector's text form."""
    return "[" + ",".join(f"{value:.7g}" for value in embedding.tolist()) + "]"


def signs(embedding: Embedding) -> str:
    """One bit a component: whether it is positive."""
    return "".join("1" if positive else "0" for positive in (embedding > 0).tolist())


class PostgresReader:
    """The read ports on one cursor, which must be inside `tenant_rows` of the scope's tenant."""

    def __init__(self, cursor: CursorWrapper, figures: Figures, fields: Mapping[str, float] = FIELD_WEIGHTS):
        self.cursor = cursor
        self.figures = figures
        self.fields = fields

    def nearest(self, scope: Scope, search: Search, embedding: Embedding, count: int) -> list[Ranked]:
        """The nearest `count` versions: candidates by Hamming distance of signs, then exact cosine."""
        params = Params()
        where = [in_reach("s", scope, params), at_time("s", search.view, params)]
        if rest := narrowed("v", scope, search.filters, params):
            inner = f"{tenant_clause('v', scope, params)} AND {rest}"
            where.append(f"s.version_id IN (SELECT v.id FROM memory_version v WHERE {inner})")
        params.values |= {
            "bits": signs(embedding),
            "query": literal(embedding),
            "candidates": max(CANDIDATES + self.figures.documents // 40, 4 * count),
            "count": count,
        }
        self.cursor.execute(
            f"""/* dense.search */
            WITH near AS MATERIALIZED (
                SELECT s.version_id, s.ordinal FROM memory_sign s WHERE {" AND ".join(where)}
                ORDER BY s.bits <~> %(bits)s::bit({len(embedding)}) LIMIT %(candidates)s)
            SELECT near.version_id, max(exact.score) AS score
            -- OFFSET 0: look the candidates up by key; a join would read every vector of the tenant
            FROM near CROSS JOIN LATERAL (
                SELECT -(x.embedding <#> %(query)s::vector) AS score FROM memory_vector x
                WHERE {tenant_clause("x", scope, params)}
                    AND x.version_id = near.version_id AND x.ordinal = near.ordinal OFFSET 0) AS exact
            GROUP BY near.version_id ORDER BY score DESC, near.version_id LIMIT %(count)s""",
            params.values,
        )
        return [Ranked(*row) for row in self.cursor.fetchall()]

    def complete(
        self,
        scope: Scope,
        search: Search,
        versions: Sequence[UUID],
        anchors: Sequence[UUID],
        embedding: Embedding | None,
        weights: Mapping[str, float],
    ) -> tuple[list[PoolItem], list[Link]]:
        """`versions`, and up to two neighbours of `anchors` on each side within source and namespace, truly scored."""
        neighbours = self.neighbours(scope, search, anchors) if anchors else []
        pool = list(dict.fromkeys([*versions, *(near.version for near in neighbours)]))
        return self._scores(scope, pool, links(neighbours), embedding, weights)

    def neighbours(
        self, scope: Scope, search: Search, versions: Sequence[UUID], radius: int = RADIUS
    ) -> list[Neighbour]:
        """What stands next to `versions` in their sources, as the view sees it; then what of that the filters leave.

        In this order, so that a filter's matches are read once and not for each version.
        """
        params = Params()
        seen = f"{in_reach('w', scope, params)} AND {at_time('w', search.view, params)}"
        rest = narrowed("n", scope, search.filters, params)
        left = (
            " WHERE EXISTS (SELECT 1 FROM memory_version n"
            f" WHERE n.id = near.id AND {tenant_clause('n', scope, params)} AND {rest} OFFSET 0)"
            if rest
            else ""
        )
        params.values |= {"versions": list(versions), "radius": radius}
        sides = " UNION ALL ".join(
            f"""(SELECT w.id, {sign}row_number() OVER (ORDER BY w.position {order}, w.id) AS distance
                FROM memory_version w WHERE w.source = v.source AND w.namespace = v.namespace
                    AND w.position {than} v.position AND {seen}
                ORDER BY w.position {order}, w.id LIMIT %(radius)s)"""
            for sign, order, than in (("-", "DESC", "<"), ("", "ASC", ">"))
        )
        self.cursor.execute(
            f"""/* pool.neighbours */
            WITH near AS MATERIALIZED (
                SELECT v.id AS anchor, side.id, side.distance
                FROM memory_version v CROSS JOIN LATERAL ({sides}) AS side
                WHERE {tenant_clause("v", scope, params)} AND v.id = ANY(%(versions)s::uuid[]) AND v.source <> '')
            SELECT near.anchor, near.id, near.distance FROM near{left}""",
            params.values,
        )
        return [Neighbour(*row) for row in self.cursor.fetchall()]

    def _scores(
        self,
        scope: Scope,
        pool: Sequence[UUID],
        pairs: Sequence[Link],
        embedding: Embedding | None,
        weights: Mapping[str, float],
    ) -> tuple[list[PoolItem], list[Link]]:
        """The true cosine (None without a vector) and BM25 (0 without a match) of every member; each pair's cosine."""
        params = Params()
        vectors, postings = tenant_clause("x", scope, params), tenant_clause("p", scope, params)
        found = frequency("p", self.fields, params)
        params.values |= {
            "pool": list(pool),
            "query": None if embedding is None else literal(embedding),
            "terms": list(weights),
            "weights": list(weights.values()),
            "mean": self.figures.mean,
            "left": [link.left for link in pairs],
            "right": [link.right for link in pairs],
        }
        self.cursor.execute(
            f"""/* pool.scores */
            SELECT 'dense', x.version_id, NULL::uuid, max(-(x.embedding <#> %(query)s::vector)), NULL::text[]
            FROM memory_vector x WHERE {vectors} AND x.version_id = ANY(%(pool)s::uuid[])
                AND %(query)s::text IS NOT NULL GROUP BY x.version_id
            UNION ALL
            SELECT 'lexical', p.version_id, NULL, sum(q.weight * {bm25("p.frequency", "p.length")})::float8,
                array_agg(q.term)
            FROM unnest(%(terms)s::text[], %(weights)s::float8[]) AS q(term, weight)
                CROSS JOIN LATERAL (SELECT p.version_id, {found} AS frequency, p.length FROM memory_posting p
                    WHERE {postings} AND p.term = q.term AND p.version_id = ANY(%(pool)s::uuid[])) AS p
            WHERE p.frequency > 0 GROUP BY p.version_id
            UNION ALL
            SELECT 'likeness', pair.a, pair.b, -(x.embedding <#> y.embedding), NULL
            FROM unnest(%(left)s::uuid[], %(right)s::uuid[]) AS pair(a, b)
                JOIN memory_vector x ON {vectors} AND x.version_id = pair.a AND x.ordinal = 0
                JOIN memory_vector y ON {tenant_clause("y", scope, params)}
                    AND y.version_id = pair.b AND y.ordinal = 0""",
            params.values,
        )
        scores: dict[UUID, dict[str, float | None]] = {version: {"lexical": 0.0} for version in pool}
        if embedding is not None:
            for its in scores.values():
                its["dense"] = None
        matched: dict[UUID, frozenset[str]] = {}
        alike: dict[tuple[UUID, UUID], float] = {}
        for kind, version, other, score, terms in self.cursor.fetchall():
            if kind == "likeness":
                alike[version, other] = score
                continue
            scores[version][kind] = score
            if terms:
                matched[version] = frozenset(terms)
        return (
            [PoolItem(version, its, matched.get(version, frozenset())) for version, its in scores.items()],
            [replace(link, likeness=alike.get((link.left, link.right))) for link in pairs],
        )


def remaining_ms(deadline: float, now: float) -> int:
    """Milliseconds until `deadline`, at least 1."""
    return max(1, math.floor((deadline - now) * 1000))
