"""Correct: a new version of a memory takes the place of the believed one; the id stays."""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from billing import usage
from loci.ground.context import current as facts
from loci.ground.errors import Conflict, NotFound, PreconditionFailed, RuleBroken
from loci.ground.ids import uuid7
from loci.ground.instants import parse_instant
from memory.engine.text import Analysis, analyse, detect_language
from memory.engine.types import Record
from memory.services.indexing import index_now
from memory.services.prepare import MAX_PLAIN_TEXT, check_order, metadata_fault, stamped, validity
from memory.services.remember import KEPT, LEASE_MARGIN
from memory.services.spaces import check_space
from memory.stores.embedders import configured
from memory.stores.postgres import records, writer
from memory.stores.postgres.writer import Current
from tenants import audit
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope


def correct(
    scope: Scope,
    memory: UUID,
    *,
    text: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    tags: Sequence[str] | None = None,
    expected_version: UUID | None = None,
) -> Record:
    """Replace what is given, keep the rest; the memory as it is now.

    `metadata` is a merge patch (RFC 7396): objects merge, a null removes its key. `NotFound` when the scope does not
    reach the memory, `Conflict` when it was retracted, `PreconditionFailed` when `expected_version` is not the
    current one.
    """
    require(scope, Right.WRITE)
    if text is not None and not text.strip():
        raise RuleBroken("text is blank")
    if text is not None and len(text) > MAX_PLAIN_TEXT:
        raise RuleBroken(f"text exceeds {MAX_PLAIN_TEXT} characters")
    embedder = configured()
    check_space(scope, embedder)
    with tenant_rows(scope.tenant) as cursor:
        if records.latest(cursor, scope, memory) is None:
            raise NotFound("There is no such memory.")
        current = writer.lock_current(cursor, scope, [memory]).get(memory)
        if current is None or current.known_to is not None:
            raise Conflict("This memory was retracted: send its content again to restore it.", code="retracted")
        if expected_version is not None and current.version != expected_version:
            raise PreconditionFailed("The memory has changed since you read it.", current_version=str(current.version))
        row, analysis = _successor(scope, current, text, metadata, tags)
        row["known_from"] = writer.transaction_time(cursor, [current])
        change = writer.close_versions(cursor, scope, [current.version], row["known_from"])
        writer.add_versions(cursor, scope, [row])
        writer.add_postings(cursor, scope, {row["id"]: analysis})
        writer.add_filter_values(cursor, scope, [(row["id"], row["metadata"], row["tags"])])
        same = row["text"] == current.text
        copied = writer.copy_vectors(cursor, scope, {current.version: row["id"]}) if same else set()
        pending = [] if copied or not embedder.enabled else [row["id"]]
        writer.mark_indexed(cursor, scope, [] if pending else [row["id"]])
        lease = settings.INDEX_WAIT + LEASE_MARGIN
        writer.add_index_tasks(cursor, scope, [(uuid7(), version) for version in pending], lease)
        change.documents += bool(analysis.terms)
        change.length += analysis.length if analysis.terms else 0
        usage.record(cursor, scope, "memories.corrected", 1)
        writer.settle(cursor, scope, change)
        audit.record(cursor, scope, "memory.corrected", id=str(memory), version=str(row["id"]))
    if pending:
        index_now(scope, pending, deadline=time.monotonic() + settings.INDEX_WAIT)
    with tenant_rows(scope.tenant) as cursor:
        found = records.latest(cursor, scope, memory)
    if found is None:
        raise NotFound("There is no such memory.")
    return found


def merge_patch(target: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """`target` as `patch` would have it (RFC 7396): objects merge, a null removes its key, all else replaces."""
    merged = dict(target)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            inner = merged.get(key)
            merged[key] = merge_patch(inner if isinstance(inner, Mapping) else {}, value)
        else:
            merged[key] = value
    return merged


def _validity(current: Current, patch: Mapping[str, Any]) -> dict[str, datetime | None]:
    """What a patch of metadata does to the validity, which the seed's clients give there."""
    said, found = validity(patch, ""), dict[str, datetime | None]()
    for name, column in (("valid_from", "valid_from"), ("valid_until", "valid_to")):
        stored = current.facts[column]
        kept = parse_instant(stored, naive_is_utc=True) if stored else None
        found[column] = said.get(column) if name in patch else kept
    check_order(found["valid_from"], found["valid_to"])
    return found


def _successor(
    scope: Scope,
    current: Current,
    text: str | None,
    metadata: Mapping[str, Any] | None,
    tags: Sequence[str] | None,
) -> tuple[dict[str, Any], Analysis]:
    merged = current.facts["metadata"]
    if metadata is not None:
        merged = stamped(scope, merge_patch(merged, metadata))
        if fault := metadata_fault(merged):
            raise RuleBroken(f"metadata {fault} once merged")
    text = current.text if text is None else text
    language = detect_language(text)
    row = {name: current.facts[name] for name in KEPT} | _validity(current, metadata or {}) | {
        "id": uuid7(), "memory_id": current.memory, "text": text, "metadata": merged,
        "namespace": current.facts["namespace"], "key": current.facts["key"], "source": current.facts["source"],
        "position": current.facts["position"], "tags": current.facts["tags"] if tags is None else list(tags),
        "trace_id": facts.get().trace_id, "written_by": str(scope.actor), "language": language, "embedding_space": "",
    }  # fmt: skip
    return row, analyse(text, language)
