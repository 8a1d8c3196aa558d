"""Reindex: make a tenant's embedded indexes anew from its versions. Recall goes on meanwhile."""

from collections.abc import Callable
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from loci.ground.ids import uuid7
from memory.engine.text import analyse
from memory.services.indexing import index_versions
from memory.stores.embedders import configured
from memory.stores.postgres import writer
from memory.stores.postgres.visible import Params, tenant_clause
from tenants import audit
from tenants.rls import tenant_rows
from tenants.scope import Scope

BATCH = 64
Progress = Callable[[int], None]


def reindex(scope: Scope, *, progress: Progress = lambda done: None) -> int:
    """Analyse and embed every version anew, in batches; how many. Moves the tenant to the configured embedder's space.

    When the space changes, the old vectors go first, so that two spaces never mix: until a version is embedded again
    it is found by its words alone.
    """
    embedder = configured()
    with tenant_rows(scope.tenant) as cursor:
        _leave_space(cursor, scope, embedder.space if embedder.enabled else "")
        audit.record(cursor, scope, "index.rebuilt", space=embedder.space if embedder.enabled else "")
    done, after = 0, UUID(int=0)
    while batch := _batch(scope, after):
        after = batch[-1]
        index_versions(scope, batch, by="reindex")
        done += len(batch)
        progress(done)
    with tenant_rows(scope.tenant) as cursor:
        _recount(cursor, scope)
    return done


def _leave_space(cursor: CursorWrapper, scope: Scope, space: str) -> None:
    params = Params({"space": space})
    cursor.execute(
        "/* reindex.leave */ UPDATE memory_corpus AS t SET embedding_space = '', embedding_label = ''"
        f" WHERE {tenant_clause('t', scope, params)} AND t.embedding_space NOT IN ('', %(space)s) RETURNING 1",
        params.values,
    )
    if cursor.fetchone():
        for table in ("memory_vector", "memory_sign"):
            cursor.execute(
                f"/* reindex.drop */ DELETE FROM {table} AS t WHERE {tenant_clause('t', scope, params)}", params.values
            )


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
            writer.replace_derived(cursor, scope, rows, analyse)
            writer.add_index_tasks(cursor, scope, [(uuid7(), version) for version in ids], 600)
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
