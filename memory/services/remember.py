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

from billing import quotas, usage
from loci.ground.context import current as facts
from loci.ground.ids import uuid7
from loci.ground.instants import parse_instant
from loci.ground.metrics import WRITES
from memory.engine.identity import content_id
from memory.engine.items import Item, Outcome
from memory.engine.text import Analysis, analyse, detect_language
from memory.services.indexing import index_now
from memory.services.prepare import bound_to, check_rules, in_scope, same_json, validity
from memory.services.spaces import check_space
from memory.stores.embedders import configured
from memory.stores.postgres import writer
from memory.stores.postgres.writer import Change, Current
from tenants import audit
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope
from tenants.services.tenants import tenant_secret

LEASE_MARGIN = 5.0
"""Seconds for which a request keeps its index tasks to itself beyond the time that it waits for them."""
KEPT = [
    "tier",
    "kind",
    "event_at",
    "metadata",
    "tags",
    "agent",
    "subject",
    "confidence",
    "valid_from",
    "valid_to",
    "expires_at",
    "content_hash",
]
"""What a memory keeps when a later version does not say otherwise."""


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
    """What one transaction will do. `ends` maps a version that ends to the item whose version succeeds it."""

    at: datetime
    fresh: list[Prepared] = field(default_factory=list)
    ends: dict[UUID, Prepared] = field(default_factory=dict)
    before: dict[UUID, Current] = field(default_factory=dict)
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
    secret, bound = tenant_secret(scope.tenant), bound_to(scope)
    memory = content_id(secret, item.namespace, item.source, item.offset, item.text, bound)
    return Prepared(item, memory, uuid7(), language, analyse(item.text, language))


def _plan(cursor: CursorWrapper, scope: Scope, prepared: Sequence[Prepared]) -> Plan:
    """Lock what is there already, take the transaction time, and decide what becomes of each item."""
    first: dict[UUID, Prepared] = {}
    twins = [one for one in prepared if first.setdefault(one.memory, one) is not one]
    existing = _claim(cursor, scope, list(first.values()))
    plan = Plan(writer.transaction_time(cursor, existing.values()))
    for memory, one in first.items():
        row = existing.get(memory)
        if row is None:
            plan.fresh.append(one)
            status = "stored"
        elif row.known_to is not None:
            status = "stored"
        else:
            status = "updated" if row.text == one.item.text and _differs(row, one.item) else "duplicate"
        if row and status != "duplicate":
            plan.ends[row.version], plan.before[row.version] = one, row
        plan.outcomes.append(_outcome(one, status, row.version if row and status == "duplicate" else one.version))
    plan.outcomes.extend(_outcome(one, "duplicate", first[one.memory].version) for one in twins)
    return plan


def _claim(cursor: CursorWrapper, scope: Scope, wanted: Sequence[Prepared]) -> dict[UUID, Current]:
    """Insert the memories that are new, lock the others: their newest versions. One that is erased meanwhile is new."""
    existing: dict[UUID, Current] = {}
    while wanted:
        rows = [(one.memory, one.item.namespace, one.item.source, one.item.offset) for one in wanted]
        new = writer.add_memories(cursor, scope, rows)
        old = [one for one in wanted if one.memory not in new]
        existing |= writer.lock_current(cursor, scope, [one.memory for one in old]) if old else {}
        wanted = [one for one in old if one.memory not in existing]
    return existing


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
        value != (parse_instant(row.facts[name], naive_is_utc=True) if row.facts[name] else None)
        if isinstance(value, datetime)
        else not same_json(value, row.facts[name])
        for name, value in said.items()
    )


def _row(scope: Scope, plan: Plan, one: Prepared, before: Current | None) -> dict[str, Any]:
    """The version to insert: what was believed before, if anything, overlaid by what the item says."""
    item = one.item
    kept = {} if before is None else {name: before.facts[name] for name in KEPT}
    if before and before.known_to is not None:  # its retraction may have ended its validity
        kept["valid_to"] = validity(kept["metadata"], "").get("valid_to")
    return {
        "tier": "chunk", "event_at": item.event_at, "metadata": item.metadata, "tags": [],
        **kept, **_said(item),
        "id": one.version, "memory_id": one.memory, "namespace": item.namespace, "source": item.source,
        "position": item.offset, "text": item.text, "known_from": plan.at, "trace_id": facts.get().trace_id,
        "written_by": str(scope.actor), "language": one.language, "embedding_space": "",
    }  # fmt: skip


def _write(cursor: CursorWrapper, scope: Scope, plan: Plan, lease: float | None) -> list[UUID]:
    """Insert everything; the versions that still need a vector. `lease` None: there is no vector index."""
    written = [*((one, None) for one in plan.fresh), *((one, plan.before[old]) for old, one in plan.ends.items())]
    if not written:
        return []
    change = writer.close_versions(cursor, scope, list(plan.ends), plan.at) if plan.ends else Change()
    if plan.ends:
        writer.unmark_retracted(cursor, scope, list(plan.ends))
    rows = [_row(scope, plan, one, before) for one, before in written]
    writer.add_versions(cursor, scope, rows)
    writer.add_postings(cursor, scope, {one.version: one.analysis for one, _ in written})
    writer.add_filter_values(cursor, scope, [(row["id"], row["metadata"], row["tags"]) for row in rows])
    copied = writer.copy_vectors(cursor, scope, _same_text(plan))
    pending = [] if lease is None else [one.version for one, _ in written if one.version not in copied]
    writer.mark_indexed(cursor, scope, [row["id"] for row in rows if row["id"] not in pending])
    writer.add_index_tasks(cursor, scope, [(uuid7(), version) for version in pending], lease or 0)
    change.memories += len(plan.fresh)
    change.documents += sum(1 for one, _ in written if one.analysis.terms)
    change.length += sum(one.analysis.length for one, _ in written if one.analysis.terms)
    quotas.reserve(cursor, scope, "memories", change.memories)
    usage.record(cursor, scope, "memories.stored", len(plan.fresh))
    writer.settle(cursor, scope, change)
    audit.record(cursor, scope, "memory.written", stored=len(plan.fresh), changed=len(plan.ends))
    return pending


def _same_text(plan: Plan) -> dict[UUID, UUID]:
    """Versions that end → successors with the same text."""
    return {old: one.version for old, one in plan.ends.items() if plan.before[old].text == one.item.text}
