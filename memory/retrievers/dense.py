"""The dense arm: nearest by meaning."""

from collections.abc import Sequence

from memory.engine.ports import Embedding, VectorStore
from memory.engine.types import Ranked, Search
from tenants.scope import Scope

NAME = "dense"


def retrieve(store: VectorStore, scope: Scope, search: Search, embedding: Embedding, count: int) -> Sequence[Ranked]:
    """The `count` nearest versions."""
    return store.nearest(scope, search, embedding, count)
