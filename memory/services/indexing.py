"""Indexing: from the outbox into the vector index. In the request while it waits, in a worker otherwise."""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DatabaseError, connection

from loci.ground.errors import LociError
from loci.ground.metrics import INDEX_FAILURES, INDEXED
from memory.engine.embedding import Embedder, EmbedderError
from memory.engine.text import windows
from memory.services import wakeup
from memory.services.patience import Late, within
from memory.services.spaces import adopt_space
from memory.stores.embedders import configured
from memory.stores.postgres import outbox, vectors
from memory.stores.postgres.reader import literal, signs
from memory.stores.postgres.visible import Params, tenant_clause
from tenants.authentication import operator_scope
from tenants.rls import tenant_rows
from tenants.scope import Scope

log = structlog.get_logger(__name__)
BATCH = 32
"""Versions embedded between two looks at the clock."""
BACKOFF = (2, 10, 30, 120, 600)
"""Seconds until a failed task is tried again, by how often it failed; the last one for ever."""


def index_now(scope: Scope, versions: Sequence[UUID], *, deadline: float) -> set[UUID]:
    """Index `versions`, whose tasks the caller holds, until `deadline` (time.monotonic()); those left to a worker."""
    left = list(versions)
    while left and time.monotonic() < deadline:
        batch = left[:BATCH]
        try:
            index_versions(scope, batch, by="request", deadline=deadline)
        except Exception as error:  # whatever an embedder raises: the versions are stored
            _give_back(scope, left, _reason(error))
            return set(left)
        left = left[BATCH:]
    if left:
        _give_back(scope, left, "")
        wakeup.index()
    return set(left)


def _reason(error: Exception) -> str:
    """What to note about a failed attempt; one that nobody foresaw is logged with its trace."""
    if isinstance(error, Late):
        return "the embedder is late"
    if not isinstance(error, EmbedderError | LociError | DatabaseError):
        log.exception("index_failed", reason=type(error).__name__)
    return str(error) or type(error).__name__


def _give_back(scope: Scope, versions: Sequence[UUID], error: str) -> None:
    if error:
        INDEX_FAILURES.inc(len(versions))
        log.warning("index_failed", versions=len(versions), reason=error[:200])
    with tenant_rows(scope.tenant) as cursor:
        outbox.release_tasks(cursor, scope, versions, error, BACKOFF[0] if error else 0)


def index_versions(scope: Scope, versions: Sequence[UUID], *, by: str, deadline: float | None = None) -> int:
    """Embed `versions` and write their vectors; how many were there. No connection is held while embedding.

    `Late` when they are not embedded by `deadline` (time.monotonic()).
    """
    embedder = configured()
    with tenant_rows(scope.tenant) as cursor:
        params = Params()
        cursor.execute(
            f"/* index.texts */ SELECT v.id, v.text FROM memory_version v WHERE {tenant_clause('v', scope, params)}"
            f" AND v.id = ANY({params.add(list(versions))}::uuid[])",
            params.values,
        )
        texts = dict(cursor.fetchall())
    rows = list(_vectors(embedder, texts, deadline)) if embedder.enabled else []
    with tenant_rows(scope.tenant) as cursor:
        if rows:
            there = vectors.add_vectors(cursor, scope, rows, embedder.space)
            adopt_space(cursor, scope, embedder)  # locks what the whole tenant shares, hence last
        else:
            there = set(texts)
            vectors.mark_indexed(cursor, scope, sorted(there))
        outbox.drop_tasks(cursor, scope, versions)
    INDEXED.labels(by).inc(len(there))
    return len(there)


def _vectors(
    embedder: Embedder, texts: dict[UUID, str], deadline: float | None
) -> Iterator[tuple[UUID, int, str, str]]:
    """(version, ordinal, embedding, signs) for every window of every text."""
    pieces = [
        (version, ordinal, piece)
        for version, text in texts.items()
        for ordinal, (_, piece) in enumerate(windows(text, embedder.max_chars))
    ]
    if not pieces:
        return
    wanted = [piece for _, _, piece in pieces]
    if deadline is None:
        vectors = embedder.embed_documents(wanted)
    else:
        vectors = within(deadline - time.monotonic(), lambda: embedder.embed_documents(wanted))
    for (version, ordinal, _), vector in zip(pieces, vectors, strict=True):
        yield version, ordinal, literal(vector), signs(vector)


def index_pending(limit: int = 256) -> int:
    """Claim tasks of any tenant whose lease ran out and index them; how many were indexed. For workers."""
    done = 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id, task_id FROM loci_claim_index_tasks(%s, %s)", [limit, settings.INDEX_LEASE])
        claimed = sorted(cursor.fetchall())
    for tenant, rows in groupby(claimed, key=lambda row: row[0]):
        done += _index_claimed(operator_scope(tenant, "worker"), [task for _, task in rows])
    return done


def _index_claimed(scope: Scope, tasks: list[UUID]) -> int:
    with tenant_rows(scope.tenant) as cursor:
        params = Params()
        cursor.execute(
            "/* index.claimed */ SELECT t.version_id, t.attempts FROM memory_indextask t"
            f" WHERE {tenant_clause('t', scope, params)} AND t.id = ANY({params.add(tasks)}::uuid[])"
            " ORDER BY t.created_at, t.id",
            params.values,
        )
        attempts = dict(cursor.fetchall())
    versions = list(attempts)
    batches = [versions[start : start + BATCH] for start in range(0, len(versions), BATCH)]
    return sum(_index_batch(scope, batch, attempts) for batch in batches)


def _index_batch(scope: Scope, batch: Sequence[UUID], attempts: Mapping[UUID, int]) -> int:
    """Index a batch, or put it off. One that failed again goes one by one, lest one text hold up its neighbours."""
    tries = max(attempts[version] for version in batch)
    try:
        return index_versions(scope, batch, by="worker")
    except Exception as error:  # whatever an embedder raises: the rest of the outbox goes on
        if tries > 1 and len(batch) > 1 and not isinstance(error, LociError) and not getattr(error, "retryable", False):
            return sum(_index_batch(scope, [version], attempts) for version in batch)
        reason = _reason(error)
        delay = BACKOFF[min(tries, len(BACKOFF)) - 1]
        INDEX_FAILURES.inc(len(batch))
        log.warning("index_failed", versions=len(batch), reason=reason[:200], again_in=delay)
        with tenant_rows(scope.tenant) as cursor:
            outbox.release_tasks(cursor, scope, batch, reason, delay)
        return 0
