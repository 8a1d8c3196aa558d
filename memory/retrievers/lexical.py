"""The lexical arm: matches by word, read in one of five ways."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from memory.engine.lexis import Near, fuzzy_plan, misspelt, plan
from memory.engine.ports import LexicalHits, LexicalStore
from memory.engine.text import detect_language, query_terms
from memory.engine.text.written import Atom, chunks
from memory.engine.types import Search
from tenants.scope import Scope

NAME = "lexical"
NOTHING = LexicalHits([], {})
SHORTEST_UNKNOWN: Final = 4
"""Characters of a word that may be taken for another when nobody wrote it."""
TAKEN_FOR: Final = 0.6
"""What such a word counts beside one that stands there, times how alike they are."""
CORRECTIONS, FUZZY_WORDS = 3, 24
"""Words that an unknown word may be taken for; that a word of a fuzzy query may be."""
CORRECTED: Final = 8
"""Unknown words that are taken for others, the first ones; words of a fuzzy query between two looks at the clock."""


def retrieve(store: LexicalStore, scope: Scope, search: Search, count: int, *, narrow: bool = False) -> LexicalHits:
    """The `count` versions whose words match best; nothing when the query has no words.

    `narrow`: the scope reaches less than all of its tenant, so that what the tenant knows is not what it may know.
    `QuerySyntaxError` for a raw query that cannot be read.
    """
    language = detect_language(search.text)
    if search.mode in ("raw", "exact", "keyword"):
        made = plan(search.mode, search.text, language)
        return store.planned(scope, search, made, count) if made else NOTHING
    if search.mode == "fuzzy":
        return _fuzzy(store, scope, search, language, count)
    return _natural(store, scope, search, language, count, narrow)


def _natural(store: LexicalStore, scope: Scope, search: Search, language: str, count: int, narrow: bool) -> LexicalHits:
    """All words count, stemmed; one that is unknown counts as those that it may have been meant to be."""
    terms = dict.fromkeys(query_terms(search.text, language), 1.0)
    if not terms:
        return NOTHING
    found = store.matching(scope, search, terms, count)
    known = store.seen(scope, list(terms)) if narrow else found.weights.keys()
    unknown = {atom.words[0]: atom for atom in _correctable(search.text, language) if not known & {*atom.terms}}
    near, late = _alike(store, scope, search, list(unknown)[:CORRECTED], CORRECTIONS)
    if late:
        return replace(found, partial=True)
    corrected = {
        term: factor for words in near.values() for each in words for term, factor in _taken_for(each, words).items()
    }
    if corrected.keys() <= terms.keys():
        return found
    for word in near:
        for term in unknown[word].terms:
            terms.pop(term, None)
    found = store.matching(scope, search, corrected | terms, count)
    return replace(found, read_as=_read_as(store, scope, found, near))


def _alike(
    store: LexicalStore, scope: Scope, search: Search, words: Sequence[str], count: int
) -> tuple[dict[str, Sequence[Near]], bool]:
    """What words may have been meant to be, and whether time ran out before all were looked at."""
    near: dict[str, Sequence[Near]] = {}
    for start in range(0, len(words), CORRECTED):
        if time.monotonic() > search.deadline:
            return near, True
        near |= store.alike(scope, words[start : start + CORRECTED], count)
    return near, False


def _correctable(text: str, language: str) -> list[Atom]:
    """The words of a query that may be taken for others: no identifiers, numbers, stop words or short ones."""
    return [
        chunk.atoms[0]
        for chunk in chunks(text, language)
        if not chunk.whole
        and not chunk.unspaced
        and not chunk.atoms[0].stop
        and len(chunk.atoms[0].words[0]) >= SHORTEST_UNKNOWN
        and chunk.atoms[0].words[0].isalpha()
    ]


def _taken_for(near: Near, words: Sequence[Near]) -> dict[str, float]:
    """What the terms of a word count; all of it for the same word, which another language stems otherwise."""
    if words[0].likeness == 1:
        return dict.fromkeys(near.terms, 1.0) if near.likeness == 1 else {}
    return dict.fromkeys(near.terms, TAKEN_FOR * near.likeness)


def _fuzzy(store: LexicalStore, scope: Scope, search: Search, language: str, count: int) -> LexicalHits:
    """Any word may be misspelt; what is written the same counts most."""
    asked = misspelt(search.text, language)
    near, late = _alike(store, scope, search, asked.words, FUZZY_WORDS)
    made = fuzzy_plan(asked, near, store.between(scope, asked.gaps))
    if made is None:
        return NOTHING
    found = store.planned(scope, search, made, count)
    return replace(found, partial=found.partial or late, read_as=_read_as(store, scope, found, near))


def _read_as(
    store: LexicalStore, scope: Scope, found: LexicalHits, near: Mapping[str, Sequence[Near]]
) -> dict[str, list[str]]:
    """Which words were taken for which others, as far as these stand in what was found: no one else's are told."""
    others = [each for words in near.values() for each in words]
    standing = store.standing(scope, [hit.version for hit in found.hits], others) if found.hits and others else set()
    told = {word: [each.word for each in words if each.word in standing - {word}] for word, words in near.items()}
    return {word: words for word, words in told.items() if words}
