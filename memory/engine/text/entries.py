"""From one raw chunk of the scanner to its terms.

Every chunk yields *base* terms (what it is) and *part* terms (what else it should be found by):

=====================  ========================  ================================
chunk                  base                      parts
=====================  ========================  ================================
``Running``            ``run``
``cafés`` (en)         ``cafe``                  stem of the unaccented spelling, where it differs
``Alice's``            ``alic`` (stem of alice)
``l'homme`` (fr, it)   ``l`` (stop), ``homm``
``don't``              ``don't`` (stop)
``ERR_CONN_42``        ``err_conn_42``           ``err``, ``conn``, ``42``
``camelCaseName``      ``camelcasename``         its stem, ``camel``, ``case``, ``name``
``python3``            ``python3``               ``python``, ``3``
``@handle``, ``#tag``  ``@handle``, ``#tag``     ``handl``, ``tag``
``成語しりとり``        ``成語`` ``しり`` ``りと`` ``とり``
=====================  ========================  ================================

An entry depends on the chunk and the language only, which is what makes it cacheable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple
from unicodedata import is_normalized
from unicodedata import normalize as unicode_form

from memory.engine.text.charsets import APOSTROPHES, EMOJI_START, HYPHENS, MARKS, RUN_START, SELECTORS
from memory.engine.text.normalise import MAX_TERM, calm, emoji, fold, normalise, shorten
from memory.engine.text.stemming import stem, word_language
from memory.engine.text.stopwords import stop_words


class Entry(NamedTuple):
    """The terms of one chunk; the three tuples run in parallel."""

    terms: tuple[str, ...]
    #: Number of base terms that are no stop words.
    length: int
    stops: tuple[bool, ...]
    #: (start, end) of every term, in characters from the beginning of the chunk.
    spans: tuple[tuple[int, int], ...]
    #: (term, word) of the terms that are not the folded word itself, which is what was written: ``run``, ``running``.
    forms: tuple[tuple[str, str], ...] = ()


#: Languages in which an apostrophe separates words (elision).
_ELISION: Final = frozenset({"fr", "it", "ca"})
_APOSTROPHE: Final = re.compile(f"[{APOSTROPHES}\u02bc]")
CLITIC: Final = re.compile(r"'(?:s|ll|re|ve|d|m)?$")
PIECE: Final = re.compile(rf"[^_./\\@&+:,#{HYPHENS}]+")
URL_PIECE: Final = re.compile(rf"[^_./\\@&+:,#~?!$*;=%{HYPHENS}]+")
_URL_TAIL: Final = ".,;:!?&*"
_DIGIT: Final = re.compile(r"\d")
_LETTERS_DIGITS: Final = re.compile(r"([^\W\d_]{2,})(\d+)|(\d+)([^\W\d_]{2,})")
_HEX: Final = re.compile(r"[0-9a-fA-F]{6,}")
_DATE_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](?=\d\d)")
_CLUSTER: Final = re.compile(f"[^{MARKS}](?:[{MARKS}{SELECTORS}\u1160-\u11ff\uff9e\uff9f])*+|.", re.DOTALL)
_SELECTOR: Final = re.compile(f"[{SELECTORS}]")
_EDGES: Final = "_./\\:&-,"
_MAX_SPLIT: Final = 64


class _Sink:
    """Collects the terms of one chunk."""

    __slots__ = ("forms", "language", "length", "spans", "stops", "terms")

    def __init__(self, language: str) -> None:
        self.language = language
        self.terms: list[str] = []
        self.stops: list[bool] = []
        self.spans: list[tuple[int, int]] = []
        self.forms: list[tuple[str, str]] = []
        self.length = 0

    def add(self, term: str, span: tuple[int, int], *, base: bool, stop: bool = False, word: str = "") -> None:
        """Add a term unless nothing of it can be searched for (no letter, no digit).

        A part of a single ASCII character (``7`` of ``foo-bar-7``) is treated as a stop word: it must be found by
        "bar 7", but a query for the identifier should not read its long posting list.
        """
        if not term.isalnum() and not any(char.isalnum() for char in term):
            return
        self.terms.append(shorten(term))
        self.stops.append(stop or (not base and len(term) == 1 and term.isascii()))
        self.spans.append(span)
        self.length += base and not stop
        if word and word != term and len(word) <= MAX_TERM:
            self.forms.append((shorten(term), word))

    def entry(self) -> Entry:
        return Entry(tuple(self.terms), self.length, tuple(self.stops), tuple(self.spans), tuple(self.forms))


def build_entry(raw: str, language: str) -> Entry:
    """The entry of a chunk found by the scanner; ``language`` is a canonical code."""
    if raw.isalpha() and raw.isascii() and (raw.islower() or raw[1:].islower()):
        return _plain_word(raw, language)
    if raw[0] > "\x7f":
        if RUN_START.match(raw):
            return _run(raw)
        if EMOJI_START.match(raw):
            return _emoji(raw)
    sink = _Sink(language)
    if "://" in raw:
        _url(sink, raw)
    elif language in _ELISION and _APOSTROPHE.search(raw):
        for match in re.finditer(f"[^{APOSTROPHES}\u02bc]+", raw):
            _compound(sink, match.group(), match.start())
    else:
        _compound(sink, raw, 0)
    return sink.entry()


def _plain_word(raw: str, language: str) -> Entry:
    """The entry of an ASCII word without inner capitals: what :func:`_word` would make of it, only faster."""
    word = raw.lower()
    language = word_language(word, language)
    span = ((0, len(raw)),)
    if word in stop_words(language):
        return Entry((shorten(word),), 0, (True,), span)
    term = shorten(fold(stem(word, language)))
    forms = ((term, word),) if term != word and len(word) <= MAX_TERM else ()
    return Entry((term,), 1, (False,), span, forms)


def _emoji(raw: str) -> Entry:
    """One term per emoji sequence; none for a lone modifier."""
    term = shorten(emoji(raw))
    return Entry((term,), 1, (False,), ((0, len(raw)),)) if term else Entry((), 0, (), ())


@lru_cache(maxsize=4096)
def _cluster_chars(cluster: str) -> str:
    """The characters of one cluster in NFKC, without variation selectors."""
    return "".join(unicode_form("NFKC", _SELECTOR.sub("", cluster)).split())


def _clusters(raw: str) -> tuple[list[str], list[int], list[int]]:
    """The NFKC characters of a run, and where in ``raw`` the cluster of each begins and ends."""
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTER.finditer(raw):
        for char in _cluster_chars(calm(match.group())):
            chars.append(char)
            starts.append(match.start())
            ends.append(match.end())
    return chars, starts, ends


def _run(raw: str) -> Entry:
    """Overlapping character bigrams of a run of an unspaced script; a single character is its own term."""
    starts: Sequence[int]
    ends: Sequence[int]
    plain = raw.isalnum() or (_SELECTOR.search(raw) is None and calm(raw) == raw)
    if plain and is_normalized("NFKC", raw):
        chars, starts, ends = list(raw), range(len(raw)), range(1, len(raw) + 1)
    else:
        chars, starts, ends = _clusters(raw)
    if len(chars) < 2:
        stop = bool(chars) and chars[0] in stop_words("ja")
        return Entry(tuple(chars), len(chars) - stop, (stop,) * len(chars), ((0, len(raw)),) * len(chars))
    terms = tuple(map("".join, pairwise(chars)))
    return Entry(terms, len(terms), (False,) * len(terms), tuple(zip(starts[:-1], ends[1:], strict=True)))


def _url(sink: _Sink, raw: str) -> None:
    """A URL: base is all of it but the scheme (so it equals the address written without), parts are its words."""
    scheme, _, rest = raw.partition("://")
    if not any(map(str.isalnum, rest)):
        _piece(sink, scheme, 0, base=True)
        return
    _whole_and_pieces(sink, rest.rstrip(_URL_TAIL), len(scheme) + 3, URL_PIECE)


def _compound(sink: _Sink, raw: str, at: int) -> None:
    """A word or identifier beginning at ``at`` in the chunk."""
    if match := _DATE_TIME.match(raw):
        date = match.group(1)
        sink.add(normalise(date), (at, at + len(date)), base=False)
    _whole_and_pieces(sink, raw, at, PIECE)


def _whole_and_pieces(sink: _Sink, raw: str, at: int, pattern: re.Pattern[str]) -> None:
    """Add ``raw`` as a whole (base) and its pieces (parts), or only the piece where there is nothing around it."""
    apart = raw[:10] + "_" + raw[11:] if _DATE_TIME.match(raw) else raw
    pieces = list(pattern.finditer(apart))
    core = raw.strip(_EDGES)
    if len(pieces) == 1 and pieces[0].group() == core:
        _piece(sink, core, at + pieces[0].start(), base=True)
        return
    if pieces:
        whole = CLITIC.sub("", fold(normalise(core)))
        sink.add(whole, (at, at + len(raw)), base=True)
    for piece in pieces:
        _piece(sink, piece.group(), at + piece.start(), base=False)


def _piece(sink: _Sink, raw: str, at: int, *, base: bool) -> None:
    """A run of word characters: an ordinary word, or one with digits or inner capitals and its parts."""
    text = raw if raw.isascii() else unicode_form("NFC", calm(raw))
    digits = _DIGIT.search(text) is not None
    cuts = _digit_cuts(text) if digits else _camel_cuts(text)
    if not digits and not cuts:
        _word(sink, text, (at, at + len(raw)), base=base)
        return
    whole = CLITIC.sub("", fold(normalise(text))).replace("'", "")
    sink.add(whole, (at, at + len(raw)), base=base)
    if not digits and whole:
        stemmed = fold(stem(whole, word_language(whole, sink.language)))
        if stemmed != whole:
            sink.add(stemmed, (at, at + len(raw)), base=False, word=whole)
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True) if cuts else ():
        span = (at + start, at + end) if text == raw else (at, at + len(raw))
        _word(sink, text[start:end], span, base=False)


def _digit_cuts(text: str) -> list[int]:
    """Where to cut between letters and digits: once, as in ``python3`` or ``16GB``, not in hashes or ``v2``."""
    match = _LETTERS_DIGITS.fullmatch(text)
    if match is None or len(text) > _MAX_SPLIT or _HEX.fullmatch(text):
        return []
    return [match.end(1) if match.group(1) else match.end(3)]


def _camel_cuts(text: str) -> list[int]:
    """Where the words of a camelCase name begin (``camel|Case``, ``HTTP|Server``, not ``URLs``, not base64)."""
    if text.islower() or text.isupper() or text[1:].islower() or len(text) > _MAX_SPLIT:
        return []
    cuts: list[int] = []
    for i in range(1, len(text)):
        if text[i].isupper() and (
            text[i - 1].islower() or (text[i - 1].isupper() and len(text) > i + 2 and text[i + 1 : i + 3].islower())
        ):
            cuts.append(i)
    return cuts if len(text) >= 3 * (len(cuts) + 1) else []


def _word(sink: _Sink, raw: str, span: tuple[int, int], *, base: bool) -> None:
    """Add an ordinary word; what follows its first term are parts."""
    find = _cached_word_terms if len(raw) <= _MAX_SPLIT else _word_terms
    for term, stop, word in find(raw, sink.language):
        sink.add(term, span, base=base, stop=stop, word=word)
        base = False


def _word_terms(raw: str, language: str) -> tuple[tuple[str, bool, str], ...]:
    """(term, is a stop word, folded word) of a word: its folded stem, and that of its unaccented spelling where it
    differs."""
    word = normalise(raw).strip("'")
    if not word:
        return ()
    language = word_language(word, language)
    stops = stop_words(language)
    if "'" in word and fold(word) not in stops:
        word = (
            word.partition("'")[0] if language == "tr" and word.find("'") > 1 else CLITIC.sub("", word).replace("'", "")
        )
    plain = fold(word)
    if plain in stops:
        return ((plain, True, plain),)
    term = fold(stem(word, language))
    if plain != word and (other := fold(stem(plain, language))) != term:
        return ((term, False, plain), (other, False, plain))
    return ((term, False, plain),)


#: An identifier of many parts is one long chunk, so its parts need a cache of their own.
_cached_word_terms = lru_cache(maxsize=8192)(_word_terms)
