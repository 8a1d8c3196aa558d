"""Forget: retract memories so that recall no longer shows them; and erase them for good."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from billing import quotas
from memory.engine.filters import Equals
from memory.services.prepare import check_order
from memory.stores.postgres import writer
from memory.stores.postgres.visible import Params, in_reach, is_newest, narrowed
from memory.stores.postgres.writer import Current
from tenants import audit
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

PER_CALL = 1000
"""Memories of one source that a single call takes on."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """`requested` memories were named or found, `changed` of them changed; `complete` False: call again."""

    requested: int
    changed: int
    complete: bool = True


def invalidate(
    scope: Scope,
    *,
    ids: Sequence[UUID] | None = None,
    source: str | None = None,
    invalidated_at: datetime | None = None,
    valid_until: datetime | None = None,
    index_root: str | None = None,
) -> Forgotten:
    """Retract memories by ids or by source. The first retraction stands; sending the content again reactivates it.

    `valid_until` also ends their validity; `RuleBroken`, and nothing changes, when one of them begins to hold only then
    or later. Ids that the scope does not reach are passed over without a word.
    """
    require(scope, Right.WRITE)
    with tenant_rows(scope.tenant) as cursor:
        memories, complete = _targets(cursor, scope, ids, source, index_root, believed_only=True)
        current = _locked(cursor, scope, memories, index_root, believed_only=True)
        at = writer.transaction_time(cursor, current.values())
        believed = [row.version for row in current.values() if row.known_to is None]
        if believed:
            _check_ends(current.values(), valid_until)
            change = writer.close_versions(
                cursor, scope, believed, at, invalidated_at=invalidated_at or at, valid_to=valid_until
            )
            writer.settle(cursor, scope, change)
            audit.record(cursor, scope, "memory.invalidated", count=len(believed), source=bool(source))
    requested = len(set(ids)) if ids is not None else len(memories)
    return Forgotten(requested, len(believed), complete)


def _check_ends(rows: Iterable[Current], end: datetime | None) -> None:
    for row in rows:
        if row.known_to is None:
            check_order(row.moment("valid_from"), end, f"memory {row.memory}: ")


def erase(
    scope: Scope, *, ids: Sequence[UUID] | None = None, source: str | None = None, index_root: str | None = None
) -> Forgotten:
    """Delete memories with all their versions and index rows, by ids or by source; they are gone when this returns."""
    require(scope, Right.WRITE)
    with tenant_rows(scope.tenant) as cursor:
        memories, complete = _targets(cursor, scope, ids, source, index_root, believed_only=False)
        gone = sorted(_locked(cursor, scope, memories, index_root, believed_only=False)) if memories else []
        if gone:
            change = writer.erase_memories(cursor, scope, gone)
            quotas.reserve(cursor, scope, "memories", change.memories)
            writer.settle(cursor, scope, change)
            audit.record(cursor, scope, "memory.erased", count=len(gone), ids=[str(memory) for memory in gone])
    requested = len(set(ids)) if ids is not None else len(memories)
    return Forgotten(requested, len(gone), complete)


def _locked(
    cursor: CursorWrapper, scope: Scope, memories: Sequence[UUID], index_root: str | None, *, believed_only: bool
) -> dict[UUID, Current]:
    """Lock memories; those that are still meant once they are: another may have moved one out of reach meanwhile."""
    current = writer.lock_current(cursor, scope, memories)
    still, _ = _targets(cursor, scope, list(current), None, index_root, believed_only=believed_only)
    return {memory: current[memory] for memory in still}


def _targets(
    cursor: CursorWrapper,
    scope: Scope,
    ids: Sequence[UUID] | None,
    source: str | None,
    index_root: str | None,
    *,
    believed_only: bool,
) -> tuple[list[UUID], bool]:
    """The memories meant, all within reach; and whether those were all. Exactly one of ids and source is given."""
    params = Params()
    root = Equals("metadata.index_root", index_root) if index_root is not None else None
    clauses = [in_reach("v", scope, params)]
    if rest := narrowed("v", scope, root, params):
        clauses.append(rest)
    if ids is not None:
        clauses.append(f"v.memory_id = ANY({params.add(sorted(set(ids)))}::uuid[])")
    else:
        clauses.append(f"v.source = {params.add(source)}")
    clauses.append("v.known_to IS NULL" if believed_only else is_newest("v", scope, params))
    cursor.execute(
        f"/* forget.targets */ SELECT DISTINCT v.memory_id FROM memory_version v WHERE {' AND '.join(clauses)}"
        f" ORDER BY v.memory_id LIMIT {params.add(PER_CALL + 1)}",
        params.values,
    )
    found = [row[0] for row in cursor.fetchall()]
    return found[:PER_CALL], len(found) <= PER_CALL
