"""Text analysis for the lexical index: documents, queries, highlighting.

Documents and queries go through the same chunks and entries (:mod:`memory.engine.text.entries`), so every query term
of a text is also a term of that text.  Entries of short chunks are cached per process; words repeat, so about 19 of
20 chunks of ordinary text are answered from the cache.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from memory.engine.text.charsets import scanner
from memory.engine.text.entries import Entry, build_entry
from memory.engine.text.stemming import canonical_language

#: Raise when terms change for the same text: an index built with another version must be rebuilt.
ANALYSIS_VERSION: Final = 2
MAX_QUERY_TERMS: Final = 64
#: Chunks up to this many characters are cached; 16384 entries take at most about 16 MB.
_MAX_CACHED: Final = 48
_MAX_CACHED_RUN: Final = 4
_cached_entry = lru_cache(maxsize=16384)(build_entry)
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Analysis:
    """The index view of a document."""

    #: Term -> number of occurrences; base, part and stop-word terms.
    terms: dict[str, int]
    #: Number of base tokens that are no stop words (the document length of BM25).
    length: int
    #: Term -> the words that were written for it, where that is anything but the term itself.
    forms: Mapping[str, Collection[str]] = field(default_factory=lambda: _NOTHING)
    #: Term -> number of occurrences in the document's tags.
    tags: Mapping[str, int] = field(default_factory=lambda: _NOTHING)

    def everything(self) -> Collection[str]:
        """All terms, of the text and of the tags."""
        return self.terms.keys() | self.tags.keys() if self.tags else self.terms

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Each (word, term) of the document: what its vocabulary is."""
        for term in self.everything():
            for word in self.forms.get(term, (term,)):
                yield word, term


class Token(NamedTuple):
    """One term occurrence; ``text[start:end]`` of the original text is what it stands for."""

    term: str
    start: int
    end: int


def _entry(raw: str, language: str) -> Entry:
    """The entry of a chunk.  Long chunks and long runs of an unspaced script rarely repeat: not worth caching."""
    if len(raw) > (_MAX_CACHED if raw[0] < "\u2e80" else _MAX_CACHED_RUN):
        return build_entry(raw, language)
    return _cached_entry(raw, language)


def analyse(text: str, language: str) -> Analysis:
    """Terms and length of a document in ``language`` (ISO 639-1 code or language tag)."""
    code = canonical_language(language)
    terms: dict[str, int] = {}
    forms: dict[str, dict[str, int]] = {}
    seen = terms.get
    length = 0
    for raw in scanner(text).findall(text):
        entry = _entry(raw, code)
        length += entry.length
        for term in entry.terms:
            terms[term] = seen(term, 0) + 1
        for term, word in entry.forms:
            counts = forms.setdefault(term, {})
            counts[word] = counts.get(word, 0) + 1
    for term, counts in forms.items():
        if sum(counts.values()) < terms[term]:
            counts[term] = 1  # it also stands there as it is
    return Analysis(terms, length, forms)


def with_tags(analysis: Analysis, tags: Sequence[str], language: str) -> Analysis:
    """The analysis of a document that also has `tags`."""
    if not tags:
        return analysis
    told = analyse("\n".join(tags), language)
    forms = dict(analysis.forms)
    for term in told.terms:
        words = told.forms.get(term, (term,))
        if term in analysis.terms:
            words = {*words, *analysis.forms.get(term, (term,))}
        forms[term] = words
        if set(words) == {term}:
            del forms[term]
    return replace(analysis, forms=forms, tags=told.terms)


def query_terms(text: str, language: str) -> list[str]:
    """Up to 64 distinct terms to look up for a query, in order of appearance.

    Stop words are left out unless the query has nothing else.  Identifiers bring their parts along; the whole is
    the rarest term and so weighs most.
    """
    code = canonical_language(language)
    wanted: dict[str, None] = {}
    stopped: dict[str, None] = {}
    for match in scanner(text).finditer(text):
        entry = _entry(match.group(), code)
        for term, stop in zip(entry.terms, entry.stops, strict=True):
            (stopped if stop else wanted)[term] = None
        if len(wanted) >= MAX_QUERY_TERMS:
            break
    return list(wanted or stopped)[:MAX_QUERY_TERMS]


def _tokens(text: str, language: str) -> Iterator[Token]:
    code = canonical_language(language)
    for match in scanner(text).finditer(text):
        entry = _entry(match.group(), code)
        at = match.start()
        for term, (start, end) in zip(entry.terms, entry.spans, strict=True):
            yield Token(term, at + start, at + end)


def tokens(text: str, language: str) -> list[Token]:
    """All term occurrences of a text with their spans; wholes come before their parts, so spans may nest."""
    return list(_tokens(text, language))


def matched_terms(text: str, language: str, query_terms: Iterable[str]) -> list[str]:
    """The query terms that occur in the text, in query order."""
    present = analyse(text, language).terms
    return [term for term in dict.fromkeys(query_terms) if term in present]


def highlight(text: str, language: str, query_terms: Iterable[str]) -> list[tuple[int, int]]:
    """Sorted, disjoint (start, end) spans of the text whose terms are among the query terms.

    Overlapping and touching spans are merged: the bigrams of ``しりとり`` become one span.
    """
    wanted = frozenset(query_terms)
    merged: list[tuple[int, int]] = []
    for start, end in sorted((token.start, token.end) for token in _tokens(text, language) if token.term in wanted):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
