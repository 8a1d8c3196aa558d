"""The lexical arm: matches by word."""

from memory.engine.ports import LexicalHits, LexicalStore
from memory.engine.text import detect_language, query_terms
from memory.engine.types import Search
from tenants.scope import Scope

NAME = "lexical"


def retrieve(store: LexicalStore, scope: Scope, search: Search, count: int) -> LexicalHits:
    """The `count` versions whose words match best; nothing when the query has no words."""
    terms = query_terms(search.text, detect_language(search.text))
    return store.matching(scope, search, terms, count) if terms else LexicalHits([], {})
