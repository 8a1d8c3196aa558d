"""A tenant's corpus: its lexical statistics, and the space that its vectors lie in."""

from dataclasses import dataclass

from django.db.backends.utils import CursorWrapper

from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope


@dataclass(frozen=True, slots=True)
class Figures:
    """`documents` believed versions with words, `mean` tokens each (at least 1); `space` is empty without vectors."""

    documents: int = 0
    mean: float = 1.0
    space: str = ""
    label: str = ""


def read(cursor: CursorWrapper, scope: Scope) -> Figures:
    """The figures of the scope's tenant."""
    params = Params()
    cursor.execute(
        "/* corpus.read */ SELECT c.documents, c.length, c.embedding_space, c.embedding_label FROM memory_corpus c"
        f" WHERE {tenant_clause('c', scope, params)}",
        params.values,
    )
    row = cursor.fetchone()
    if row is None:
        return Figures()
    documents, length, space, label = row
    return Figures(documents, max(1.0, length / max(1, documents)), space, label)
