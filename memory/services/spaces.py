"""One tenant, one embedding space: vectors of two models never meet."""

from django.db.backends.utils import CursorWrapper

from loci.ground.errors import Unavailable
from memory.engine.embedding import Embedder, EmbedderError
from memory.stores.postgres.visible import Params, tenant_clause
from tenants.rls import tenant_rows
from tenants.scope import Scope


def label_of(embedder: Embedder) -> str:
    """How an embedder is named to people."""
    return f"{embedder.name}/{embedder.model} ({embedder.dimension} dimensions)"


def check_space(scope: Scope, embedder: Embedder) -> None:
    """Refuse with 503, naming both, when the tenant's vectors lie in another space than `embedder` makes.

    An embedder that does not answer has no say: what is written then is embedded, and its space checked, later.
    """
    if not embedder.enabled:
        return
    try:
        space = embedder.space
    except EmbedderError:
        return
    with tenant_rows(scope.tenant) as cursor:
        compare_space(cursor, scope, embedder, space)


def compare_space(cursor: CursorWrapper, scope: Scope, embedder: Embedder, space: str) -> None:
    """As `check_space`, on an open transaction; `space` is the embedder's."""
    params = Params()
    cursor.execute(
        "/* space.read */ SELECT c.embedding_space, c.embedding_label FROM memory_corpus c"
        f" WHERE {tenant_clause('c', scope, params)}",
        params.values,
    )
    row = cursor.fetchone()
    if row and row[0] and row[0] != space:
        raise Unavailable(
            f"The memories of this tenant were embedded by {row[1]}, but the server embeds with {label_of(embedder)}."
            " Set EMBEDDER back, or run `manage.py reindex --tenant SLUG` to embed them anew.",
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
    compare_space(cursor, scope, embedder, embedder.space)


