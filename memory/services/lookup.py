"""Look up: one memory, its versions, the memories of a source."""

from dataclasses import dataclass
from uuid import UUID

from loci.ground.errors import NotFound
from memory.engine.filters import Equals, Filter
from memory.engine.types import Record
from memory.stores.postgres import records
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope


@dataclass(frozen=True, slots=True)
class Page:
    """Records in order of memory id; `complete` False: go on after the last one's id."""

    records: list[Record]
    complete: bool


def get_memory(scope: Scope, memory: UUID) -> Record:
    """The newest version of a memory, retracted or not; `NotFound` when there is none within reach."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        record = records.latest(cursor, scope, memory)
    if record is None:
        raise NotFound("There is no such memory.")
    return record


def list_versions(scope: Scope, memory: UUID) -> list[Record]:
    """The newest 100 versions of a memory; `NotFound` when there is none within reach."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        found = records.versions_of(cursor, scope, memory)
    if not found:
        raise NotFound("There is no such memory.")
    return found


def list_memories(
    scope: Scope,
    *,
    source: str | None = None,
    after: UUID | None = None,
    limit: int = 500,
    index_root: str | None = None,
    filters: Filter | None = None,
) -> Page:
    """What is believed now, a page of at most `limit` (1 to 500)."""
    require(scope, Right.READ)
    root = Equals("metadata.index_root", index_root) if index_root is not None else None
    with tenant_rows(scope.tenant) as cursor:
        found = records.page(cursor, scope, source=source, after=after, limit=limit + 1, filters=filters or root)
    return Page(found[:limit], len(found) <= limit)
