"""Remember: store items, each once, in one transaction; then make them findable before answering."""

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.backends.utils import CursorWrapper

from billing import usage
from loci.ground.errors import Conflict
from loci.ground.ids import uuid7
from loci.ground.metrics import WRITES
from memory.engine.identity import content_id
from memory.engine.items import Item, Outcome
from memory.engine.text import Analysis, analyse, detect_language
from memory.services.indexing import index_now
from memory.services.prepare import bound_to, check_rules, in_scope, same_json
from memory.services.spaces import check_space
from memory.services.versions import LEASE_MARGIN, Draft, kept, write_versions
from memory.stores.embedders import configured
from memory.stores.postgres import records, writer
from memory.stores.postgres.writer import Current
from tenants import audit
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope
from tenants.services.keys import note_write
from tenants.services.tenants import tenant_secret

TURNS = 32
"""How often a write tries to claim its memories while others erase them, or while they lie out of its reach."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item with all that can be worked out before the transaction."""

    item: Item
    memory: UUID
    version: UUID
    language: str
    analysis: Analysis


@dataclass(slots=True)
class Plan:
    """What one transaction will do: `writes` are the items that need a new version, with what it succeeds."""

    at: datetime
    writes: list[tuple[Prepared, Current | None]] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)


def remember(scope: Scope, *, items: Sequence[Item], wait: float | None = None) -> list[Outcome]:
    """Store `items` (well-formed; texts of at most 32,768 characters); an outcome for each, in their order.

    Waits at most `wait` seconds (default INDEX_WAIT; 0: not at all) until recall can find them; an outcome that is not
    `searchable` by then is stored all the same and indexed later. Raises `RuleBroken`, `Forbidden`, `QuotaExceeded`
    and `Unavailable` (embedding spaces differ), each of which leaves everything as it was.
    """
    require(scope, Right.WRITE)
    wait = settings.INDEX_WAIT if wait is None else wait
    items = [in_scope(scope, item) for item in items]
    check_rules(items)
    embedder = configured()
    check_space(scope, embedder)
    prepared = [_prepare(scope, item) for item in items]
    with tenant_rows(scope.tenant) as cursor:
        plan = _plan(cursor, scope, prepared)
        pending = _write(cursor, scope, plan, wait + LEASE_MARGIN if embedder.enabled else None)
    for outcome in plan.outcomes:
        WRITES.labels(outcome.status).inc()
    late = index_now(scope, pending, deadline=time.monotonic() + wait) if pending else set()
    return [
        dataclasses.replace(outcome, searchable=outcome.version not in late)
        for outcome in sorted(plan.outcomes, key=lambda outcome: outcome.item)
    ]


def _prepare(scope: Scope, item: Item) -> Prepared:
    language = detect_language(item.text)
    return Prepared(item, _id_of(scope, item, 0), uuid7(), language, analyse(item.text, language))


def _id_of(scope: Scope, item: Item, turn: int) -> UUID:
    """The item's id; `turn` above 0 when the ids before belong to memories that left the scope's reach."""
    salt = [*bound_to(scope), *([turn] if turn else [])]
    return content_id(tenant_secret(scope.tenant), item.namespace, item.source, item.offset, item.text, salt)


def _plan(cursor: CursorWrapper, scope: Scope, prepared: Sequence[Prepared]) -> Plan:
    """Lock what is there already, take the transaction time, and decide what becomes of each item."""
    first: dict[UUID, Prepared] = {}
    twins = [one for one in prepared if first.setdefault(one.memory, one) is not one]
    claimed = _claim(cursor, scope, first)
    plan = Plan(writer.transaction_time(cursor, [row for _, row in claimed.values() if row]))
    for one, row in claimed.values():
        if row is None or row.known_to is not None:
            status = "stored"
        else:
            status = "updated" if row.text == one.item.text and _differs(row, one.item) else "duplicate"
        if status != "duplicate":
            plan.writes.append((one, row))
        plan.outcomes.append(_outcome(one, status, row.version if row and status == "duplicate" else one.version))
    for twin in twins:
        one, _ = claimed[twin.memory]
        plan.outcomes.append(Outcome(one.memory, "duplicate", twin.item.index, twin.item.offset, one.version))
    return plan


def _claim(
    cursor: CursorWrapper, scope: Scope, wanted: dict[UUID, Prepared]
) -> dict[UUID, tuple[Prepared, Current | None]]:
    """Insert the memories that are new, lock the others and read their newest versions.

    One that is erased meanwhile is new; one that left the reach of a narrowed scope is left alone, and the item
    becomes a memory of its own.
    """
    claimed: dict[UUID, tuple[Prepared, Current | None]] = {}
    for turn in range(1, TURNS + 1):
        if not wanted:
            return claimed
        rows = [(one.memory, one.item.namespace, one.item.source, one.item.offset) for one in wanted.values()]
        new = writer.add_memories(cursor, scope, rows)
        claimed |= {asked: (one, None) for asked, one in wanted.items() if one.memory in new}
        old = {asked: one for asked, one in wanted.items() if one.memory not in new}
        found = writer.lock_current(cursor, scope, [one.memory for one in old.values()]) if old else {}
        reached = records.reached(cursor, scope, list(found)) if bound_to(scope) else found.keys()
        claimed |= {asked: (one, found[one.memory]) for asked, one in old.items() if one.memory in reached}
        wanted = {
            asked: dataclasses.replace(one, memory=_id_of(scope, one.item, turn)) if one.memory in found else one
            for asked, one in old.items()
            if one.memory not in reached
        }
    if wanted:
        raise Conflict(
            "Others keep erasing and writing the same content: try again in a moment.", headers={"Retry-After": "1"}
        )
    return claimed


def _outcome(one: Prepared, status: str, version: UUID) -> Outcome:
    return Outcome(one.memory, status, one.item.index, one.item.offset, version)


def _said(item: Item) -> dict[str, Any]:
    """What an item says beside its text; an unsaid field is left out."""
    said: dict[str, Any] = {
        name: value
        for name in ("kind", "agent", "subject", "confidence", "valid_from", "valid_to", "content_hash")
        if (value := getattr(item, name)) is not None
    }
    if item.says_metadata:  # which is where the seed gives validity
        said |= {"metadata": item.metadata, "valid_from": item.valid_from, "valid_to": item.valid_to}
    if item.tags:
        said["tags"] = list(item.tags)
    return said


def _differs(row: Current, item: Item) -> bool:
    """Whether a re-sent item says something new; another `timestamp` alone does not count: the first stands."""
    said = _said(item)
    return any(
        value != row.moment(name) if isinstance(value, datetime) else not same_json(value, row.facts[name])
        for name, value in said.items()
    )


def _draft(one: Prepared, before: Current | None) -> Draft:
    """The version to insert: what was believed before, if anything, overlaid by what the item says."""
    item = one.item
    row = {
        "tier": "chunk", "event_at": item.event_at, "metadata": item.metadata, "tags": [],
        **(kept(before) if before else {}), **_said(item),
        "id": one.version, "memory_id": one.memory, "namespace": item.namespace, "source": item.source,
        "position": item.offset, "text": item.text, "language": one.language,
    }  # fmt: skip
    return Draft(row, one.analysis, before)


def _write(cursor: CursorWrapper, scope: Scope, plan: Plan, lease: float | None) -> list[UUID]:
    """Insert everything; the versions that still need a vector. `lease` None: there is no vector index."""
    note_write(cursor, scope)
    if not plan.writes:
        return []
    fresh = sum(before is None for _, before in plan.writes)
    usage.record(cursor, scope, "memories.stored", fresh)
    pending = write_versions(cursor, scope, [_draft(*each) for each in plan.writes], plan.at, lease)
    audit.record(cursor, scope, "memory.written", stored=fresh, changed=len(plan.writes) - fresh)
    return pending
