-- What recall's two arms cost as plain, good SQL with nothing around it: no filters, no clocks, no namespaces.
-- Run as loci_app under row-level security, with loci.tenant set. %(tenant)s also stands in the statements, as in
-- Loci's own: the planner then uses the tenant's indexes.

-- name: dense
-- Exact cosine distance over all of the tenant's float32 vectors.
SELECT x.version_id
FROM memory_vector AS x
WHERE x.tenant_id = %(tenant)s
ORDER BY x.embedding <=> %(query)s::vector
LIMIT 50;

-- name: lexical
-- BM25 in one statement; document frequencies are counted from the tenant's own postings.
WITH hits AS MATERIALIZED (
    SELECT p.term, p.version_id, p.frequency, p.length
    FROM memory_posting AS p
    WHERE p.tenant_id = %(tenant)s AND p.term = ANY(%(terms)s::text[]) AND p.live),
corpus AS (
    SELECT c.documents::float8 AS documents, c.length::float8 / greatest(c.documents, 1) AS mean
    FROM memory_corpus AS c
    WHERE c.tenant_id = %(tenant)s),
weights AS (
    SELECT f.term, ln(1 + (corpus.documents - f.n + 0.5) / (f.n + 0.5)) AS weight
    FROM (SELECT hits.term, count(*)::float8 AS n FROM hits GROUP BY hits.term) AS f CROSS JOIN corpus)
SELECT hits.version_id,
       sum(weights.weight * hits.frequency * 1.9
           / (hits.frequency + 0.9 * (0.6 + 0.4 * hits.length / corpus.mean))) AS score
FROM hits JOIN weights USING (term) CROSS JOIN corpus
GROUP BY hits.version_id
ORDER BY score DESC
LIMIT 50;
