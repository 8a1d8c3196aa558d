"""A tenant's corpus: its lexical statistics, the space that its vectors lie in, and how it is to be searched."""

import json
from dataclasses import dataclass, field

from django.db.backends.utils import CursorWrapper

from memory.engine.chosen import tuning_of
from memory.engine.tuning import Tuning
from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope


@dataclass(frozen=True, slots=True)
class Figures:
    """`documents` believed versions with words, `mean` tokens each (at least 1); `space` is empty without vectors;
    `tuning` is what the tenant has set."""

    documents: int = 0
    mean: float = 1.0
    space: str = ""
    label: str = ""
    tuning: Tuning = field(default_factory=Tuning)


def read(cursor: CursorWrapper, scope: Scope) -> Figures:
    """The figures of the scope's tenant."""
    params = Params()
    cursor.execute(
        "/* corpus.read */ SELECT c.documents, c.length, c.embedding_space, c.embedding_label, s.chosen"
        " FROM (SELECT 1) one"
        f" LEFT JOIN memory_corpus c ON {tenant_clause('c', scope, params)}"
        f" LEFT JOIN memory_settings s ON {tenant_clause('s', scope, params)}",
        params.values,
    )
    documents, length, space, label, chosen = cursor.fetchone()
    tuning = tuning_of(json.loads(chosen) if isinstance(chosen, str) else chosen or {}, scope.time_zone)
    if documents is None:
        return Figures(tuning=tuning)
    return Figures(documents, max(1.0, length / max(1, documents)), space, label, tuning)
