"""That the locks are two, and that the tests would notice if one were missing.

With row-level security off, taking the tenant clause from any one statement shows: in an answer, in the neighbour's
rows, or at least in how many rows the statement met. With it on, the same statement without its clause changes nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test import override_settings

from tests.isolation.rows import as_owner, empty_database, fingerprints, tenant_tables
from tests.isolation.situations import Situation, at_the_door, behind_the_door
from tests.isolation.stage import Stage, counts_of, set_stage
from tests.isolation.statements import Watch, keys_in_source, unnamed, watched

INDEXES = ("memory_posting", "memory_sign", "memory_vector", "memory_filtervalue")
SEVERAL = {
    "write.close": ("memory_version", "memory_sign"),
    "write.unmark": ("memory_version", "memory_sign"),
    "reindex.clear": ("memory_posting", "memory_filtervalue"),
    "reindex.drop": ("memory_vector", "memory_sign"),
    "erase.rows": (*INDEXES, "memory_indextask", "memory_version", "memory_memory"),
}
"""Statements that serve several tables, one after the other."""
OUTSIDE = [
    "DELETE billing_quota", "DELETE tenants_idempotencyrecord", "SELECT billing_quota", "SELECT memory_job",
    "SELECT tenants_auditevent", "SELECT tenants_idempotencyrecord", "SELECT tenants_membership",
    "SELECT tenants_servicekey",
    "UPDATE billing_quota", "UPDATE memory_job", "UPDATE tenants_idempotencyrecord", "UPDATE tenants_servicekey",
]  # fmt: skip
"""Statements that Django makes, or that lie in `tenants`, by verb and table."""
BY_VALUE = {
    "index.vectors", "learning.teach", "quota.reserve", "settings.make", "space.adopt", "usage.record",
    "write.corpus", "write.filter_values", "golden.add", "golden.run",
    "write.grams", "write.memories", "write.postings", "write.tasks", "write.versions", "INSERT",
}  # fmt: skip
"""Statements without a clause: they insert rows whose tenant is a value, and read none."""
PLANTED = {
    "write.current memory_version": "write.lock",
    "erase.live memory_posting": "erase.versions",
    **{f"erase.rows {table}": "erase.versions" for table in SEVERAL["erase.rows"] if table != "memory_memory"},
}
"""Statements whose ids come from another one that is scoped itself: here they get the neighbour's ids instead."""
BEHIND_ANOTHER = {
    "erase.versions memory_version": "what it finds only goes to erase.live and erase.rows, which are scoped",
    "index.claimed memory_indextask": "the versions that it finds are read by index.texts, which is scoped",
    "index.texts memory_version": "vectors are kept only for versions that index.lock finds, which is scoped",
    "write.lock memory_memory": "what it finds is read by write.current, which is scoped",
}
"""Statements that meet foreign rows without their clause, and nothing comes of it: the next one is scoped too."""
NAMED = keys_in_source(SEVERAL)


@dataclass(frozen=True)
class Observation:
    """What a situation brought about: what was told, both tenants' rows after it, and which statements ran."""

    told: str
    neighbour: dict[str, tuple[int, str]]
    own: dict[str, int]
    watch: Watch

    @property
    def effects(self) -> tuple[object, ...]:
        return self.told, self.neighbour, self.own

    def met(self, key: str) -> list[int]:
        """How many rows each execution of a statement met."""
        return [rows for name, rows in self.watch.rows if name == key]


def observe(stage: Stage, situation: Situation, *, rob: str | None = None, plant: str | None = None) -> Observation:
    """Run a situation, look, and undo it. `plant` gives that statement the neighbour's ids for its own."""
    planted = {"versions": stage.neighbour.versions, "memories": stage.neighbour.memories}
    with transaction.atomic():
        with watched(rob=rob, plant=planted, at=plant) as watch:
            try:
                told: object = situation()
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
        seen = stage.plain(told)
        found = Observation(seen, fingerprints(stage.neighbour.tenant), counts_of(stage.own.tenant), watch)
        transaction.set_rollback(True)
    return found


@pytest.fixture(scope="module", params=[False, True], ids=["lock off", "lock on"])
def stage(request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any) -> Iterator[Stage]:
    """The committed stage; row-level security is off for one half of the tests, and surely on after it."""
    with django_db_blocker.unblock(), override_settings(DEFAULT_QUOTAS={}, RECALL_DEADLINE=60.0):
        try:
            if not request.param:
                _each_table("DISABLE")
            yield set_stage(locked=request.param)
        finally:
            connection.close()
            _each_table("ENABLE")
            empty_database()


def _each_table(verb: str) -> None:
    for table in tenant_tables():
        as_owner(f"ALTER TABLE {table} {verb} ROW LEVEL SECURITY")


def all_situations(stage: Stage) -> dict[str, Situation]:
    return at_the_door(stage) | behind_the_door(stage)


_baselines: dict[UUID, dict[str, Observation]] = {}


def baseline(stage: Stage) -> dict[str, Observation]:
    """Each situation with all clauses in place."""
    if stage.own.tenant not in _baselines:
        _baselines[stage.own.tenant] = {name: observe(stage, each) for name, each in all_situations(stage).items()}
    return _baselines[stage.own.tenant]


def _visits(stage: Stage, key: str) -> list[str]:
    return [name for name, seen in baseline(stage).items() if key in seen.watch.seen]


@pytest.mark.parametrize("key", sorted({*NAMED, *OUTSIDE} - {key for key in NAMED if key.split()[0] in BY_VALUE}))
def test_a_statement_without_its_tenant_clause_leaks_only_where_the_second_lock_is_off(
    stage: Stage, db: None, key: str
) -> None:
    plant = key if key in PLANTED else None
    visits = _visits(stage, key)
    assert visits, "no situation exercises this statement: add one to situations.py"
    leaking, meeting = [], []
    for name in visits:
        situation = all_situations(stage)[name]
        before = observe(stage, situation, plant=plant) if plant else baseline(stage)[name]
        robbed = observe(stage, situation, rob=key, plant=plant)
        leaking += [name] if robbed.effects != before.effects else []
        meeting += [name] if robbed.met(key) != before.met(key) else []
        if stage.locked:
            assert (robbed.effects, robbed.watch.rows) == (before.effects, before.watch.rows), name
        elif leaking:
            break
    if not stage.locked and key in BEHIND_ANOTHER:
        assert meeting and not leaking, f"{BEHIND_ANOTHER[key]}: no longer true"
    elif not stage.locked:
        assert leaking, "its tenant clause could be missing and no test would notice"


def test_no_situation_tells_or_changes_anything_of_the_neighbour(stage: Stage, db: None) -> None:
    foreign = {str(each) for each in (*stage.neighbour.memories, *stage.neighbour.versions, stage.neighbour.job)}
    untouched = fingerprints(stage.neighbour.tenant)
    for name, seen in baseline(stage).items():
        assert not [each for each in foreign if each in seen.told], name
        assert seen.neighbour == untouched, name


def test_no_situation_is_a_call_that_cannot_be(stage: Stage, db: None) -> None:
    told = {name: seen.told for name, seen in baseline(stage).items()}
    assert [name for name, said in told.items() if re.match(r"['\"]?(Type|Attribute)Error:", said)] == []


def test_a_situation_looks_the_same_twice(stage: Stage, db: None) -> None:
    for name, situation in all_situations(stage).items():
        assert observe(stage, situation).effects == baseline(stage)[name].effects, name


def test_every_statement_on_tenants_rows_has_a_name() -> None:
    assert unnamed() == []


def test_the_lists_of_statements_are_not_stale(stage: Stage, db: None) -> None:
    clauses: dict[str, int] = {}
    for seen in baseline(stage).values():
        for key, count in seen.watch.clauses.items():
            clauses[key] = max(count, clauses.get(key, 0))
    assert {key for key, count in clauses.items() if count} == {
        *OUTSIDE,
        *(key for key in NAMED if key.split()[0] not in BY_VALUE),
    }
    without = {key for key, count in clauses.items() if not count} - {"SELECT tenants_tenant", "UPDATE tenants_tenant"}
    assert {key.split()[0] for key in without} == BY_VALUE
    assert {*PLANTED, *BEHIND_ANOTHER} <= clauses.keys()
    assert SEVERAL.keys() <= {key.split()[0] for key in NAMED}
