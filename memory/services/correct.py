"""Correct, and restore: a new version of a memory takes the place of the last one; the id stays."""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.backends.utils import CursorWrapper

from billing import usage
from loci.ground.errors import Conflict, NotFound, PreconditionFailed, RuleBroken
from loci.ground.ids import uuid7
from memory.engine.text import analyse, detect_language
from memory.engine.types import Record
from memory.services.indexing import index_now
from memory.services.prepare import MAX_PLAIN_TEXT, check_order, metadata_fault, stamped, validity
from memory.services.spaces import check_space
from memory.services.versions import LEASE_MARGIN, PLACE, Draft, kept, write_versions
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
    check_space(scope, configured())
    with tenant_rows(scope.tenant) as cursor:
        current = lock_reached(cursor, scope, memory)
        if current.known_to is not None:
            raise Conflict("This memory was retracted: restore it, or send its content again.", code="retracted")
        if expected_version is not None and current.version != expected_version:
            raise PreconditionFailed("The memory has changed since you read it.", current_version=str(current.version))
        draft = _successor(scope, current, text, metadata, tags)
        usage.record(cursor, scope, "memories.corrected", 1)
        pending = succeed(cursor, scope, draft)
        audit.record(cursor, scope, "memory.corrected", id=str(memory), version=str(draft.row["id"]))
    return indexed(scope, memory, pending)


def restore(scope: Scope, memory: UUID) -> Record:
    """Believe a retracted memory again as it last was; the memory as it is now. Nothing changes for one that is
    believed. `NotFound` when the scope does not reach it."""
    require(scope, Right.WRITE)
    check_space(scope, configured())
    pending: list[UUID] = []
    with tenant_rows(scope.tenant) as cursor:
        current = lock_reached(cursor, scope, memory)
        if current.known_to is not None:
            draft = _successor(scope, current, None, None, None)
            pending = succeed(cursor, scope, draft)
            audit.record(cursor, scope, "memory.restored", id=str(memory), version=str(draft.row["id"]))
    return indexed(scope, memory, pending)


def lock_reached(cursor: CursorWrapper, scope: Scope, memory: UUID) -> Current:
    """Lock a memory and read its newest version; `NotFound` when the scope does not reach that."""
    current = writer.lock_current(cursor, scope, [memory]).get(memory)
    if not records.reached(cursor, scope, [memory]) or current is None:
        raise NotFound("There is no such memory.")
    return current


def succeed(cursor: CursorWrapper, scope: Scope, draft: Draft) -> list[UUID]:
    """Write a version in the place of the one before; what still needs a vector."""
    assert draft.before is not None
    lease = settings.INDEX_WAIT + LEASE_MARGIN if configured().enabled else None
    return write_versions(cursor, scope, [draft], writer.transaction_time(cursor, [draft.before]), lease)


def indexed(scope: Scope, memory: UUID, pending: Sequence[UUID]) -> Record:
    """The memory, once its new version is indexed or has waited long enough."""
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
        found[column] = said.get(column) if name in patch else current.moment(column)
    check_order(found["valid_from"], found["valid_to"])
    return found


def _successor(
    scope: Scope,
    current: Current,
    text: str | None,
    metadata: Mapping[str, Any] | None,
    tags: Sequence[str] | None,
) -> Draft:
    merged = current.facts["metadata"]
    if metadata is not None:
        merged = stamped(scope, merge_patch(merged, metadata))
        if fault := metadata_fault(merged):
            raise RuleBroken(f"metadata {fault} once merged")
    text = current.text if text is None else text
    language = detect_language(text)
    held = kept(current)
    if metadata is not None:
        held |= _validity(current, metadata)
    row = held | {name: current.facts[name] for name in PLACE} | {
        "id": uuid7(), "memory_id": current.memory, "text": text, "metadata": merged,
        "tags": held["tags"] if tags is None else list(tags), "language": language,
    }  # fmt: skip
    return Draft(row, analyse(text, language), current)
