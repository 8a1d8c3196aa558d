"""The stage for the mutations: a tenant, its neighbour with the same texts, and a newborn that holds nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection

from billing import quotas
from memory.services.settings import change_settings
from tenants import idempotency
from tenants.authentication import operator_scope
from tenants.rls import tenant_rows
from tenants.scope import Role, Scope
from tenants.services.tenants import add_member, create_tenant, tenant_secret
from tests.cast import Caller
from tests.isolation.door import send
from tests.isolation.rows import fingerprints
from tests.isolation.shapes import Shape, secret_of

TEXTS = ("Dana prefers tea.", "The server runs Debian.", "Invoices are due on Friday.")
FIELDS = {"source": "talk", "metadata": {"project": "apollo", "amount": 5, "when": "2020-01-01"}, "tags": ["home"],
          "agent": "ada", "timestamp": "2024-05-07T10:00:00Z"}  # fmt: skip
PERSON = "dana@neighbour.example"
KEY = "the same key"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(?:Z|\+00:00|\+00)?|datetime\.datetime\(.*?\)\)?")
_TOOK = re.compile(r'"(?:latency_ms|timings_ms|recall_calls|degraded_events)": ?(?:\{[^}]*\}|[\d.e-]+)')


@dataclass(frozen=True)
class Party:
    """A tenant on the stage, its key, and the ids of what it holds."""

    tenant: UUID
    key: str
    key_id: UUID
    memories: list[UUID] = field(default_factory=list)
    versions: list[UUID] = field(default_factory=list)
    job: UUID | None = None
    task: UUID | None = None

    @property
    def scope(self) -> Scope:
        return Caller(self.tenant, self.key).scope


@dataclass(frozen=True)
class Stage:
    """`locked`: whether row-level security is on."""

    locked: bool
    own: Party
    neighbour: Party
    newborn: Party
    known: frozenset[str]

    def plain(self, seen: object) -> str:
        """What was seen, without what differs from one run to the next: new ids, instants, durations."""
        text = _TOOK.sub("", seen.decode() if isinstance(seen, bytes) else repr(seen))
        text = _UUID.sub(lambda match: match[0] if match[0] in self.known else "<new>", text)
        return _TIME.sub("<time>", text)


def set_stage(*, locked: bool) -> Stage:
    """Commit the three tenants: the neighbour first, so that whatever takes the first row it finds takes its."""
    neighbour, own = (_party(slug, copies) for slug, copies in (("neighbour", 2), ("own", 1)))
    newborn = _empty_party("newborn")
    _trouble(neighbour)
    # the last to be written stands last in its table
    with tenant_rows(own.tenant) as cursor:
        cursor.execute("UPDATE tenants_idempotencyrecord SET status = status WHERE tenant_id = %s", [own.tenant])
        cursor.execute("UPDATE memory_corpus SET documents = documents WHERE tenant_id = %s", [own.tenant])
        cursor.execute("UPDATE memory_settings SET version = version WHERE tenant_id = %s", [own.tenant])
    known = {str(each) for party in (own, neighbour) for each in (party.tenant, *party.memories, *party.versions)}
    connection.close()
    return Stage(locked, own, neighbour, newborn, frozenset(known))


def _empty_party(slug: str) -> Party:
    tenant = create_tenant(slug)
    tenant_secret(tenant)  # is kept from then on, so that no situation is the first to read it
    key = secret_of(Shape("any", ("read", "write", "admin")), tenant)
    assert key is not None
    with tenant_rows(tenant) as cursor:
        cursor.execute("SELECT id FROM tenants_servicekey WHERE tenant_id = %s", [tenant])
        return Party(tenant, key, cursor.fetchone()[0])


def _party(slug: str, copies: int) -> Party:
    party = _empty_party(slug)
    for offset, text in enumerate(TEXTS * copies):
        body: Mapping[str, Any] = {"items": [{"text": text, "offset": offset, **FIELDS}]}
        assert send(party.key, "POST", "memories", body).status == 200
    gone = {"text": "This was retracted.", "source": "gone", "metadata": {} if slug == "own" else {"ghost": 1}}
    (result,) = send(party.key, "POST", "memories", {"items": [gone]}).json["results"]
    assert send(party.key, "POST", "invalidate", {"ids": [result["id"]]}).json["invalidated"] == 1
    job = send(party.key, "POST", "memories", {"items": [{"text": "Many.", "source": "job"}] * 65}).json["job"]
    scope = operator_scope(party.tenant, "stage")
    idempotency.once(scope, KEY, route="r", body={}, act=lambda: (200, {"by": slug}))
    quotas.set_quota(party.scope, {"rps": 1000})
    change_settings(scope, change={"recall": {"half_life": float(13 + copies)}})
    with tenant_rows(party.tenant) as cursor:
        cursor.execute("UPDATE memory_job SET state = 'succeeded' WHERE tenant_id = %s", [party.tenant])
        cursor.execute("SELECT id, memory_id FROM memory_version WHERE tenant_id = %s ORDER BY id", [party.tenant])
        rows = cursor.fetchall()
    memories = list(dict.fromkeys(row[1] for row in rows))
    return Party(party.tenant, party.key, party.key_id, memories, [row[0] for row in rows], UUID(job), rows[0][0])


def _trouble(party: Party) -> None:
    """What only the neighbour has: a limit, a member, an expired record, a pending task, vectors of another space."""
    add_member(party.tenant, PERSON, Role.VIEWER)
    with tenant_rows(party.tenant) as cursor:
        for statement in (
            'INSERT INTO billing_quota (tenant_id, name, "limit", set_by, set_at)'
            " VALUES (%(it)s, 'memories', 77, 'x', now())",
            "INSERT INTO memory_indextask (id, tenant_id, version_id, lease_until, attempts, error, created_at)"
            " SELECT %(task)s, %(it)s, %(task)s, now() + interval '1 day', 0, '', now()",
            "INSERT INTO tenants_idempotencyrecord (tenant_id, digest, body_digest, lease_until, expires_at)"
            " VALUES (%(it)s, 'x', 'x', now(), now() - interval '1 day')",
            "INSERT INTO memory_learnedweight (tenant_id, arm, shape, q, n)"
            " VALUES (%(it)s, 'dense', 'general', 0.9, 99)",
            "INSERT INTO memory_exposure (tenant_id, memory_id, at, count)"
            " SELECT tenant_id, id, now() - interval '9 days', 1 FROM memory_memory WHERE tenant_id = %(it)s",
            "INSERT INTO memory_goldenquestion (id, tenant_id, question, reach, digest, wanted, created_by, created_at)"
            " VALUES (%(task)s, %(it)s, 'What do they know?', '', 'x', 1, 'x', now())",
            "INSERT INTO memory_goldenexpectation (tenant_id, question_id, memory_id)"
            " SELECT tenant_id, %(task)s, id FROM memory_memory WHERE tenant_id = %(it)s LIMIT 1",
            "INSERT INTO memory_goldenrun (id, tenant_id, reach, settings, questions, recall_1, recall_5, recall_10,"
            " mrr, ranks, actor, at) VALUES (%(task)s, %(it)s, '', 'x', 1, 1, 1, 1, 1, '{}', 'x', now())",
            # words that nothing stands for, and pairs of characters that only it has
            "INSERT INTO memory_posting (tenant_id, term, version_id, frequency, length, live)"
            " VALUES (%(it)s, 'only', %(task)s, 1, 1, true)",
            "INSERT INTO memory_word (tenant_id, word, term) VALUES (%(it)s, 'orphan', 'orphan'),"
            " (%(it)s, '文化', '文化'), (%(it)s, '化学', '化学')",
            "INSERT INTO memory_gram (tenant_id, gram, word) VALUES (%(it)s, 'rph', 'orphan'),"
            " (%(it)s, '化', '文化'), (%(it)s, '学', '化学')",
            "UPDATE memory_corpus SET embedding_space = 'elsewhere', embedding_label = 'Another model'"
            " WHERE tenant_id = %(it)s",
        ):
            cursor.execute(statement, {"it": party.tenant, "task": party.task})


def counts_of(tenant: UUID) -> dict[str, int]:
    """Table → how many rows a tenant has."""
    return {table: count for table, (count, _) in fingerprints(tenant).items()}
