"""Under row-level security no statement reads a whole tenant, or more than that, where an index should serve."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from memory.engine.filters import Equals, parse_filters
from memory.engine.items import Item
from memory.engine.stages.learned import LEARNED
from memory.engine.tuning import Overrides
from memory.services import survey
from memory.services.browse import browse
from memory.services.correct import correct
from memory.services.evaluate import get_run, list_runs
from memory.services.forget import erase, invalidate
from memory.services.golden import list_questions, remove_questions
from memory.services.indexing import index_versions
from memory.services.jobs import get_job, list_jobs, submit_remember
from memory.services.lookup import get_memory, list_memories, list_versions
from memory.services.overview import overview
from memory.services.recall import recall
from memory.services.remember import remember
from memory.services.status import tenant_status
from memory.stores.postgres.listing import Place
from tenants.authentication import operator_scope
from tenants.rls import tenant_rows
from tenants.scope import Scope
from tenants.services.activity import list_activity
from tests.isolation.crowd import MEMORIES, gather
from tests.isolation.plans import Plan, explained, wide
from tests.isolation.rows import empty_database
from tests.isolation.stage import counts_of

LINEAR = {("dense.search memory_sign", "memory_sign")}
"""(statement, table) that reads all of a tenant by design: sign bits are compared one by one."""
UNSELECTIVE = {"recall filtered by none", "recall filtered by not", "recall of most of the time"}
"""What nearly every memory passes: then the versions are read as the signs are, once."""
WIDE = {("dense.search memory_sign", "memory_version"), ("temporal.search memory_version", "memory_version")}
KNOWN: dict[str, str] = {}
"""Faults that are reported and not yet mended."""
FILTERS: Mapping[str, Any] = {
    "nothing": None,
    "equality": {"project": "p7"},
    "any": {"project": {"any": ["p7", "p8"]}},
    "none": {"project": {"none": ["p7", "p8"]}},
    "prefix": {"project": {"prefix": "p58"}},
    "numbers": {"amount": {"gte": 100, "lt": 150}},
    "instants": {"when": {"gte": "2020-02-01", "lt": "2020-03-01"}},
    "existence": {"ghost": {"exists": True}},
    "tag": {"tags": "t7"},
    "tags": {"tags": {"any": ["t7", "t8"]}},
    "source": {"source": "source-7"},
    "sources by prefix": {"source": {"prefix": "source-7"}},
    "agent": {"agent": "agent-7"},
    "subject": {"subject": "person-7"},
    "moment": {"timestamp": {"gte": "2000-01-01", "lt": "2000-01-02"}},
    "namespace": {"namespace": "red"},
    "and": {"and": [{"project": "p7"}, {"tags": "t7"}]},
    "or": {"or": [{"project": "p7"}, {"amount": 5}]},
    "not": {"not": {"project": "p7"}},
}
Drive = Callable[[Scope], object]
QUERIES = {
    "a rare word": "rare7",
    "a word and a meaning": "w7 harbour",
    "two words": "x7 y8",
    "a day": "rare7 yesterday",
    "a day alone": "what happened yesterday?",
    "days before a day": "what happened before 2001-01-01?",
    "most of the time": "rare7 in the last 100 days",
    "a week of a rare word": "rare7 between 2001-01-01 and 2001-01-07",
}
MODES = {
    "natural": "rare7",
    "raw": '(rare7* OR "memory number 7") w7 -x8',
    "exact": "rare7 w7",
    "keyword": "w7 x8",
    "fuzzy": "jgbwrod",
    "vector": "harbour",
}
"""A query for each mode but the default one."""
NARROWINGS: Mapping[str, Mapping[str, Any]] = {
    "namespace": {"namespaces": frozenset({"red"})},
    "filter": {"filters": {"project": "p7"}},
    "agent": {"agent": "agent-7"},
}


@pytest.fixture(scope="module")
def crowd(django_db_setup: None, django_db_blocker: Any) -> Iterator[list[UUID]]:
    """The committed crowd."""
    with django_db_blocker.unblock(), override_settings(RECALL_DEADLINE=300.0, STATEMENT_TIMEOUT_MS=300_000):
        try:
            yield gather()
        finally:
            connection.close()
            empty_database()


@pytest.fixture
def scope(crowd: list[UUID], db: None) -> Scope:
    """One of the crowd, neither the first nor the last."""
    return operator_scope(crowd[2], "explain")


@pytest.fixture
def sizes(scope: Scope) -> dict[str, int]:
    """How many rows the tenant has in each table."""
    return counts_of(scope.tenant)


def _first(scope: Scope, table: str) -> UUID:
    with tenant_rows(scope.tenant) as cursor:
        cursor.execute(f"/* test.first */ SELECT id FROM {table} WHERE tenant_id = %s LIMIT 1", [scope.tenant])
        found: UUID = cursor.fetchone()[0]
    return found


def _recalled(query: str, wanted: Any, **narrowing: Any) -> Drive:
    return lambda scope: recall(replace(scope, **narrowing), query=query, filters=parse_filters(wanted), limit=10)


def _in_mode(mode: str, query: str, wanted: Any = None, **narrowing: Any) -> Drive:
    return lambda scope: recall(
        replace(scope, **narrowing), query=query, filters=parse_filters(wanted), limit=10, mode=mode
    )


def _memory(act: Callable[[Scope, UUID], object]) -> Drive:
    return lambda scope: act(scope, _first(scope, "memory_memory"))


NEW = Item(index=0, text="Something new about w7.", source="source-7", metadata={"project": "p7"})
DRIVES: Mapping[str, Drive] = {
    **{f"recall filtered by {name}": _recalled("rare7", filters) for name, filters in FILTERS.items()},
    **{f"recall of {name}": _recalled(query, None) for name, query in QUERIES.items()},
    **{f"recall narrowed by {name}": _recalled("rare7", None, **one) for name, one in NARROWINGS.items()},
    "recall by what was learned": lambda scope: recall(
        scope, query="rare7", overrides=Overrides(stages=dict.fromkeys(LEARNED, True), record_exposures=True)
    ),
    "golden questions": lambda scope: list_questions(scope, limit=50),
    "a later page of golden questions": lambda scope: list_questions(scope, limit=50, before=UUID(int=2**127)),
    "removal of a golden question": lambda scope: remove_questions(scope, ids=[_first(scope, "memory_goldenquestion")]),
    "golden runs": lambda scope: list_runs(scope, limit=20),
    "a golden run": lambda scope: get_run(scope, _first(scope, "memory_goldenrun")),
    **{f"recall in mode {mode}": _in_mode(mode, query) for mode, query in MODES.items()},
    **{
        f"recall in mode {mode} narrowed by {name}": _in_mode(mode, query, **one)
        for mode, query in MODES.items()
        for name, one in NARROWINGS.items()
    },
    **{f"recall in mode {mode} filtered": _in_mode(mode, query, {"project": "p7"}) for mode, query in MODES.items()},
    "recall of a misspelt word": _recalled("jgbwrod", None),
    "recall of a misspelt word in a narrow key": _recalled("jgbwrod", None, **NARROWINGS["namespace"]),
    "page of a source": lambda scope: list_memories(scope, source="source-7"),
    "page of everything": lambda scope: list_memories(scope, limit=100),
    "a later page": lambda scope: list_memories(scope, after=UUID(int=2**127), limit=100),
    "page of a folder": lambda scope: list_memories(scope, filters=Equals("metadata.project", "p7")),
    "page of a source in a narrow key": lambda scope: list_memories(
        replace(scope, namespaces=frozenset({"default"})), source="source-7"
    ),
    "a memory": _memory(get_memory),
    "its versions": _memory(list_versions),
    "a job": lambda scope: get_job(scope, _first(scope, "memory_job")),
    "jobs": lambda scope: list_jobs(scope, limit=20),
    "a large write": lambda scope: submit_remember(scope, items=[replace(NEW, index=n) for n in range(65)]),
    "status": tenant_status,
    "the newest": lambda scope: browse(scope),
    "a later page of the newest": lambda scope: browse(scope, after=Place(timezone.now(), UUID(int=2**127))),
    "the newest of a folder": lambda scope: browse(scope, filters=Equals("metadata.project", "p7")),
    "the newest of two folders": lambda scope: browse(scope, filters=parse_filters({"project": {"any": ["p7", "p8"]}})),
    "the newest of a source": lambda scope: browse(scope, filters=Equals("source", "source-7")),
    "what was retracted": lambda scope: browse(scope, shelf="retracted"),
    "a later page of what was retracted": lambda scope: browse(
        scope, shelf="retracted", after=Place(timezone.now(), UUID(int=2**127))
    ),
    "shares": lambda scope: survey.shares(scope, sample=100),
    "known keys": survey.known_keys,
    "how many match": lambda scope: survey.count_each(scope, [None, parse_filters({"project": "p7"})], most=100),
    "rows of a memory": _memory(survey.rows_of),
    "overview": overview,
    "activity": list_activity,
    "correction": _memory(lambda scope, memory: correct(scope, memory, tags=["t1"])),
    "correction of the text": _memory(lambda scope, memory: correct(scope, memory, text="New text.")),
    "writing": lambda scope: remember(scope, items=[NEW]),
    "indexing": lambda scope: index_versions(scope, [_first(scope, "memory_version")], by="test"),
    "retraction by id": _memory(lambda scope, memory: invalidate(scope, ids=[memory])),
    "retraction by source": lambda scope: invalidate(scope, source="source-7"),
    "erasure by id": _memory(lambda scope, memory: erase(scope, ids=[memory])),
    "erasure by source": lambda scope: erase(scope, source="source-7"),
}


def _plans(scope: Scope, drive: Drive) -> list[Plan]:
    with explained() as plans:
        drive(scope)
    return plans


def _known(name: str) -> Any:
    return pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=KNOWN[name]) if name in KNOWN else ())


@pytest.mark.parametrize("name", [_known(name) for name in DRIVES])
def test_no_statement_reads_a_whole_tenant(scope: Scope, sizes: dict[str, int], name: str) -> None:
    plans = _plans(scope, DRIVES[name])
    assert plans
    allowed = LINEAR | (WIDE if name in UNSELECTIVE else set())
    faults = [
        f"{scan}\n{plan}" for plan in plans for scan in wide(plan, sizes) if (plan.key, scan.table) not in allowed
    ]
    assert not faults, "\n\n".join(faults)


def test_the_dense_arm_reads_the_tenants_own_signs_only(scope: Scope) -> None:
    (plan,) = (plan for plan in _plans(scope, _recalled("rare7", None)) if plan.key in dict(LINEAR))
    assert {scan.read for scan in plan.scans if scan.table == "memory_sign"} <= set(range(MEMORIES + 1))


def test_a_scan_without_an_index_would_be_noticed(scope: Scope, sizes: dict[str, int]) -> None:
    def careless(scope: Scope) -> None:
        with tenant_rows(scope.tenant) as cursor:
            cursor.execute("SELECT id FROM memory_version WHERE tenant_id = %s AND tags && '{t7}'", [scope.tenant])

    (plan,) = _plans(scope, careless)
    assert [scan.table for scan in wide(plan, sizes)] == ["memory_version"]
