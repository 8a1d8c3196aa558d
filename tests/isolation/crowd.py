"""Six tenants of three thousand memories each, put in by SQL: enough for the planner to mind which index serves."""

from typing import Any
from uuid import UUID

from django.db import connection, connections

from memory.stores.embedders import configured
from tenants.services.tenants import create_tenant
from tests.isolation.rows import as_owner, tenant_tables

TENANTS, MEMORIES = 6, 3000
PER_SOURCE = 20
BASE = "FROM unnest(%(tenants)s::uuid[]) AS t(id), generate_series(1, %(count)s) AS n"
MEMORY = "md5(t.id::text || n)::uuid"
VERSION = "md5('version' || t.id::text || n)::uuid"
NAMESPACE = "CASE WHEN n %% 40 = 0 THEN 'red' ELSE 'default' END"
TERMS = (
    "ARRAY['common', 'w' || n %% 90, 'x' || n %% 110, 'y' || n %% 130, 'rare' || n / 3,"
    " translate((n / 3)::text, '0123456789', 'abcdefghij') || 'word']"
)
STATEMENTS = (
    "INSERT INTO memory_memory (id, tenant_id, namespace, source, position, created_at)"
    f" SELECT {MEMORY}, t.id, {NAMESPACE}, 'source-' || n / {PER_SOURCE}, n, now() {BASE}",
    "INSERT INTO memory_version (id, tenant_id, memory_id, namespace, source, position, text, tier, kind, event_at,"
    " metadata, tags, agent, subject, known_from, known_to, invalidated_at, trace_id, written_by, language,"
    " embedding_space, indexed_at)"
    f" SELECT {VERSION}, t.id, {MEMORY}, {NAMESPACE},"
    f" 'source-' || n / {PER_SOURCE}, n, 'Memory number ' || n, 'chunk', 'fact', now() - n * interval '1 hour',"
    " jsonb_build_object('project', 'p' || n %% 60, 'amount', n), ARRAY['t' || n %% 50], 'agent-' || n %% 50,"
    " 'person-' || n %% 70, now() - interval '1 day', CASE WHEN n %% 25 = 0 THEN now() - interval '1 hour' END,"
    f" CASE WHEN n %% 25 = 0 THEN now() - interval '1 hour' END, '', 'x', 'en', '', now() {BASE}",
    "INSERT INTO memory_posting (tenant_id, term, version_id, frequency, length, live)"
    f" SELECT t.id, term, {VERSION}, 1, 5, n %% 25 <> 0 {BASE}, unnest({TERMS}) AS term",
    "INSERT INTO memory_word (tenant_id, word, term) SELECT DISTINCT p.tenant_id, p.term, p.term FROM memory_posting p",
    "INSERT INTO memory_gram (tenant_id, gram, word)"
    " SELECT DISTINCT w.tenant_id, substr('  ' || w.word || ' ', at, 3), w.word"
    " FROM memory_word w, generate_series(1, char_length(w.word) + 1) AS at WHERE w.word ~ '^[a-z]+'",
    "INSERT INTO memory_filtervalue (tenant_id, version_id, key, ordinal, text_value, number_value, time_value)"
    f" SELECT t.id, {VERSION}, f.* {BASE}, LATERAL (VALUES"
    " ('metadata.project', 0, 's:p' || n %% 60, null::float8, null::timestamptz),"
    " ('metadata.amount', 0, 'n:' || n, n::float8, null),"
    " ('metadata.when', 0, 's:2020', null, timestamptz '2020-01-01' + n * interval '1 day'),"
    " ('tags', 0, 's:t' || n %% 50, null, null)) AS f",
    "INSERT INTO memory_sign (tenant_id, version_id, ordinal, namespace, known_from, known_to, invalidated_at, bits)"
    " SELECT v.tenant_id, v.id, 0, v.namespace, v.known_from, v.known_to, v.invalidated_at,"
    " substring(repeat(('x' || md5(v.id::text))::bit(128)::text, 8) FOR %(dimension)s)::bit varying"
    " FROM memory_version v",
    "INSERT INTO memory_vector (tenant_id, version_id, ordinal, embedding)"
    " SELECT v.tenant_id, v.id, 0, array_fill(1 / sqrt(%(dimension)s::float8), ARRAY[%(dimension)s])::vector"
    " FROM memory_version v",
    "INSERT INTO memory_corpus (tenant_id, documents, length, embedding_space, embedding_label)"
    " SELECT t.id, %(count)s, %(count)s * 5, '', '' FROM unnest(%(tenants)s::uuid[]) AS t(id)",
    "INSERT INTO memory_access (tenant_id, memory_id, count, last_at)"
    " SELECT tenant_id, id, 1, now() FROM memory_memory",
    "INSERT INTO memory_exposure (tenant_id, memory_id, at, count)"
    " SELECT tenant_id, id, date_trunc('hour', now()), 1 FROM memory_memory",
    "INSERT INTO memory_goldenquestion (id, tenant_id, question, reach, digest, wanted, created_by, created_at)"
    " SELECT id, tenant_id, 'rare7', '', id::text, 1, 'x', now() FROM memory_memory",
    "INSERT INTO memory_goldenexpectation (tenant_id, question_id, memory_id)"
    " SELECT tenant_id, id, id FROM memory_memory",
    "INSERT INTO memory_goldenrun (id, tenant_id, reach, settings, questions, recall_1, recall_5, recall_10, mrr,"
    " ranks, actor, at) SELECT id, tenant_id, '', 'x', 1, 1, 1, 1, 1, '{}', 'x', now() FROM memory_memory",
    "INSERT INTO memory_job (id, tenant_id, kind, state, total, done, payload, result, error, actor, scope,"
    " lease_until, attempts, created_at)"
    f" SELECT {MEMORY}, t.id, 'remember', 'succeeded', 1, 1, '{{}}', '{{}}', '', 'key:' || n %% 9, '{{}}', now(), 1,"
    f" now() - n * interval '1 minute' {BASE}",
)


def gather() -> list[UUID]:
    """Commit the crowd; the tenants' ids."""
    tenants = [create_tenant(f"crowd-{number}") for number in range(TENANTS)]
    connection.close()
    # autovacuum would come in the middle, and what it has seen would decide plans
    for table in tenant_tables():
        as_owner(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
    params: dict[str, Any] = {"tenants": tenants, "count": MEMORIES, "dimension": configured().dimension}
    with connections["owner"].cursor() as cursor:
        for statement in STATEMENTS:
            cursor.execute(statement, params)
    as_owner(f"VACUUM ANALYZE {', '.join(tenant_tables())}")
    return tenants
