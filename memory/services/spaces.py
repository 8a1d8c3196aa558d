"""One tenant, one embedding space: vectors of two models never meet."""

from collections.abc import Sequence
from uuid import UUID

import structlog
from django.db.backends.utils import CursorWrapper

from loci.ground.errors import Unavailable
from memory.engine.embedding import Embedder, EmbedderError
from memory.services.patience import Late, within
from memory.stores.postgres import corpus
from memory.stores.postgres.corpus import Figures
from tenants.authentication import operator_scope
from tenants.rls import tenant_rows
from tenants.scope import Scope

log = structlog.get_logger(__name__)
PATIENCE = 2.0
"""Seconds for which a write waits to learn the embedder's space."""


def label_of(embedder: Embedder) -> str:
    """How an embedder is named to people."""
    return f"{embedder.name}/{embedder.model} ({embedder.dimension} dimensions)"


def check_space(scope: Scope, embedder: Embedder) -> None:
    """Refuse with 503, naming both, when the tenant's vectors lie in another space than `embedder` makes.

    An embedder that does not answer has no say: what is written then is embedded, and its space checked, later.
    """
    space = space_of(embedder) if embedder.enabled else None
    if space is None:
        return
    with tenant_rows(scope.tenant) as cursor:
        compare_space(corpus.read(cursor, scope), embedder, space)


def space_of(embedder: Embedder) -> str | None:
    """The space of an embedder, None when it cannot tell: to learn the dimension it may have to ask its service."""
    try:
        return within(PATIENCE, lambda: embedder.space)
    except (Late, EmbedderError) as error:
        log.warning("space_unknown", reason=str(error)[:200] or "late")
    except Exception as error:  # an embedder of one's own may raise anything
        log.exception("space_unknown", reason=type(error).__name__)
    return None


def compare_space(figures: Figures, embedder: Embedder, space: str) -> None:
    """As `check_space`, for figures read before; `space` is the embedder's."""
    if figures.space and figures.space != space:
        raise Unavailable(
            f"The memories of this tenant were embedded by {figures.label}, but the server embeds with"
            f" {label_of(embedder)}. Set EMBEDDER back, or run `manage.py reindex --tenant SLUG` to embed them anew.",
            code="embedding_space_mismatch",
        )


def adopt_space(cursor: CursorWrapper, scope: Scope, embedder: Embedder) -> None:
    """Note the space of a tenant's first vectors; refuse another one."""
    cursor.execute(
        "/* space.adopt */ INSERT INTO memory_corpus AS c"
        " (tenant_id, documents, length, embedding_space, embedding_label) VALUES (%s, 0, 0, %s, %s)"
        " ON CONFLICT (tenant_id) DO UPDATE SET embedding_space = excluded.embedding_space,"
        " embedding_label = excluded.embedding_label WHERE c.embedding_space = ''",
        [scope.tenant, embedder.space, label_of(embedder)],
    )
    compare_space(corpus.read(cursor, scope), embedder, embedder.space)


def in_another_space(tenants: Sequence[UUID], embedder: Embedder) -> list[UUID]:
    """Those of `tenants` whose vectors lie in another space than `embedder` makes; none when it cannot tell."""
    space = space_of(embedder)
    found = []
    for tenant in tenants if space else ():
        with tenant_rows(tenant) as cursor:
            figures = corpus.read(cursor, operator_scope(tenant, "doctor"))
        if figures.space and figures.space != space:
            found.append(tenant)
    return found
