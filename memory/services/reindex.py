"""Reindex: make a tenant's embedded indexes anew from its versions. Recall goes on meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from loci.ground.errors import RuleBroken
from loci.ground.ids import uuid7
from memory.engine.text import analyse
from memory.services.indexing import index_versions
from memory.stores.embedders import configured
from memory.stores.postgres import outbox, terms, words
from memory.stores.postgres.visible import Params, tenant_clause
from tenants import audit
from tenants.rls import tenant_rows
from tenants.scope import Scope

BATCH = 64
FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Done:
    """How far it is: `versions` are done in this run, the last of them `after`, where another run can go on."""

    versions: int
    after: UUID | None


Progress = Callable[[Done], None]


def count_versions(scope: Scope, after: UUID | None = None) -> int:
    """How many versions the tenant has whose id comes after `after`."""
    with tenant_rows(scope.tenant) as cursor:
        params = Params()
        cursor.execute(
            f"/* reindex.count */ SELECT count(*) FROM memory_version v WHERE {tenant_clause('v', scope, params)}"
            f" AND v.id > {params.add(after or FIRST)}",
            params.values,
        )
        return int(cursor.fetchone()[0])


def reindex(scope: Scope, *, after: UUID | None = None, progress: Progress = lambda done: None) -> int:
    """Analyse and embed every version anew, in batches in order of their ids from after `after`; how many.

    Moves the tenant to the configured embedder's space. When that changes, the old vectors go first, so that two spaces
    never mix: until a version is embedded again it is found by its words alone. `RuleBroken` when it has changed and
    `after` would leave versions out.
    """
    embedder = configured()
    with tenant_rows(scope.tenant) as cursor:
        if _leave_space(cursor, scope, embedder.space if embedder.enabled else "") and after:
            raise RuleBroken("The embedder is another one than before: reindex from the beginning, without --after.")
        audit.record(cursor, scope, "index.rebuilt", space=embedder.space if embedder.enabled else "")
    done = 0
    while batch := _batch(scope, after or FIRST):
        index_versions(scope, batch, by="reindex")
        after, done = batch[-1], done + len(batch)
        progress(Done(done, after))
    _sweep_words(scope)
    with tenant_rows(scope.tenant) as cursor:
        _recount(cursor, scope)
    return done


def _sweep_words(scope: Scope) -> None:
    """Take out of the vocabulary what no version holds any more, page by page."""
    last = ("", "")
    while True:
        with tenant_rows(scope.tenant) as cursor:
            found = words.page(cursor, scope, last)
            words.drop_unused(cursor, scope, found)
        if not found:
            return
        last = found[-1]


def _leave_space(cursor: CursorWrapper, scope: Scope, space: str) -> bool:
    """Drop vectors of another space; whether there were any."""
    params = Params({"space": space})
    cursor.execute(
        "/* reindex.leave */ UPDATE memory_corpus AS t SET embedding_space = '', embedding_label = ''"
        f" WHERE {tenant_clause('t', scope, params)} AND t.embedding_space NOT IN ('', %(space)s) RETURNING 1",
        params.values,
    )
    left = cursor.fetchone() is not None
    if left:
        for table in ("memory_vector", "memory_sign"):
            cursor.execute(
                f"/* reindex.drop */ DELETE FROM {table} AS t WHERE {tenant_clause('t', scope, params)}", params.values
            )
    return left


def _batch(scope: Scope, after: UUID) -> list[UUID]:
    """The next versions, their postings and filter values made anew, their index tasks noted."""
    with tenant_rows(scope.tenant) as cursor:
        params = Params()
        cursor.execute(
            "/* reindex.batch */ SELECT v.id, v.text, v.language, v.metadata::text, v.tags, v.known_to IS NULL"
            f" FROM memory_version v WHERE {tenant_clause('v', scope, params)} AND v.id > {params.add(after)}"
            f" ORDER BY v.id LIMIT {BATCH} FOR NO KEY UPDATE",
            params.values,
        )
        rows = cursor.fetchall()
        ids = [row[0] for row in rows]
        if rows:
            terms.replace_derived(cursor, scope, rows, analyse)
            outbox.add_index_tasks(cursor, scope, [(uuid7(), version) for version in ids], 600)
    return ids


def _recount(cursor: CursorWrapper, scope: Scope) -> None:
    """Document count and total length from the postings themselves."""
    params = Params()
    cursor.execute(
        f"""/* reindex.recount */ UPDATE memory_corpus AS t SET documents = each.documents, length = each.length FROM (
            SELECT count(*) AS documents, coalesce(sum(length), 0) AS length FROM (
                SELECT DISTINCT p.version_id, p.length FROM memory_posting p
                WHERE {tenant_clause("p", scope, params)} AND p.live) AS one) AS each
        WHERE {tenant_clause("t", scope, params)}""",
        params.values,
    )
