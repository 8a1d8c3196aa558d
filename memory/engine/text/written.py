"""What a text is written with: its words as they stand, whatever language their stems were taken in.

A text that holds a phrase holds its words, but perhaps not its stems (the language of a text is guessed from all of
it) nor its identifiers as a whole (``example.com`` in ``www.example.com``). So whoever looks for a phrase looks for
the words given here first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.engine.text.charsets import APOSTROPHES, EMOJI_START, HIRAGANA, RUN_START, UNSPACED, scanner
from memory.engine.text.entries import CLITIC, PIECE, URL_PIECE, Entry, build_entry
from memory.engine.text.normalise import fold, normalise
from memory.engine.text.stemming import canonical_language

_APOSTROPHE: Final = re.compile(f"[{APOSTROPHES}\u02bc]")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_PARTICLE: Final = re.compile("[のはがをにへともでやか]")
_HIRAGANA: Final = re.compile(f"[{HIRAGANA}]+")
_WORD_BEFORE: Final = re.compile(r"[^\W_]+\Z")
_MOMENT: Final = re.compile(r"(\d\d)t\d\d")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.\-]{1,15}://\w")
_WORD_AFTER: Final = re.compile(r"[^\W_]+")
_REST: Final = re.compile(f"[^\\W_{UNSPACED}]*")
CLITICS: Final = frozenset({"s", "ll", "re", "ve", "d", "m"})
ELISIONS: Final = ("l", "d", "j", "m", "t", "s", "n", "c", "qu", "un", "all", "dell", "nell", "dall", "sull", "quest")


@dataclass(frozen=True, slots=True)
class Atom:
    """Something written: a text has it if any of `words` is among its words, or any of `terms` among its terms.

    `stop`: says too little to be looked for when there is something else. `unspaced`: characters of a script without
    spaces, two of them except where a run has only one.
    """

    words: tuple[str, ...]
    terms: tuple[str, ...]
    stop: bool = False
    unspaced: bool = False


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of characters that belong together, at `start` to `end` of the text; `whole` is its term as one, if that
    is more than its only atom."""

    start: int
    end: int
    atoms: tuple[Atom, ...]
    whole: str = ""

    @property
    def unspaced(self) -> bool:
        """Whether it is of a script without spaces."""
        return self.atoms[0].unspaced


def chunks(text: str, language: str) -> Iterator[Chunk]:
    """The chunks of a text that have anything to be found by; `language` only decides the atoms' own terms."""
    code = canonical_language(language)
    for match in scanner(text).finditer(text):
        raw = match.group()
        entry = build_entry(raw, code)
        if not entry.terms:
            continue
        if RUN_START.match(raw) or EMOJI_START.match(raw):
            run = RUN_START.match(raw) is not None
            atoms = [Atom((term,), (term,), stop, run) for term, stop in zip(entry.terms, entry.stops, strict=True)]
            yield Chunk(match.start(), match.end(), tuple(dict.fromkeys(atoms)))
        elif atoms := list(dict.fromkeys(_atoms(raw, code))):
            alone = len(atoms) == 1 and entry.terms[0] in atoms[0].terms
            yield Chunk(match.start(), match.end(), tuple(atoms), "" if alone else entry.terms[0])


def _atoms(raw: str, language: str) -> Iterator[Atom]:
    """The words of a chunk between its joints."""
    pattern, rest = (URL_PIECE, raw.partition("://")[2]) if "://" in raw else (PIECE, raw)
    pieces = pattern.findall(rest) or PIECE.findall(raw)
    for piece in pieces:
        entry = build_entry(piece, language)
        if entry.terms:
            atom = _atom(piece, entry)
            yield Atom(atom.words, atom.terms, atom.stop or len(atom.words[0]) == 1 < len(raw))


def _atom(piece: str, entry: Entry) -> Atom:
    first = entry.terms[0]
    word = dict(entry.forms).get(first, first)
    terms = (first, *(term for term, form in entry.forms if form == word and term != first))
    plain = CLITIC.sub("", fold(normalise(piece)))
    if not _APOSTROPHE.search(plain):
        # the middle of a moment is parted where the moment begins a chunk
        moment = _MOMENT.fullmatch(word)
        return Atom((word, moment[1]) if moment else (word,), terms, entry.stops[0])
    # some languages part words at an apostrophe, others join them
    parts = _APOSTROPHE.split(plain)
    words = dict.fromkeys((word, _APOSTROPHE.sub("", plain), plain, max(parts, key=len), parts[0]))
    return Atom(tuple(each for each in words if each), entry.terms, all(entry.stops))


def compounds(text: str, most: int = 8) -> list[str]:
    """What may be names in scripts without spaces: runs of 3 to 12 characters between particles, with a Latin end if
    one follows at once, case folded; at most `most` of them."""
    found: list[str] = []
    start = end = -1
    for chunk in [*chunks(text, "ja"), Chunk(len(text) + 1, len(text) + 1, (Atom(("",), ("",)),))]:
        particle = _PARTICLE.match(text, chunk.start) and (start >= 0 or _is_stop(chunk))
        if start >= 0 and (particle or chunk.start != end):
            found.append(text[start:end].casefold())
            start = -1
        if not particle and (start >= 0 or chunk.unspaced):
            start, end = (start if start >= 0 else chunk.start), chunk.end
    return [name for name in dict.fromkeys(found) if 3 <= len(name) <= 12 and not _HIRAGANA.fullmatch(name)][:most]


def _is_stop(chunk: Chunk) -> bool:
    return all(atom.stop for atom in chunk.atoms)


def flat(text: str) -> str:
    """A text as phrases are compared: case, accents, Unicode form and the kind and amount of white space set aside."""
    if text.isascii():
        return " ".join(text.lower().replace("\\", "/").split())
    tokens = (token.lower() if token.isascii() else _flat_token(token) for token in text.replace("\\", "/").split())
    return " ".join(filter(None, tokens))


@lru_cache(maxsize=8192)
def _flat_token(token: str) -> str:
    return fold(normalise(token))


def stands_in(phrase: str, text: str, *, open_end: bool = False) -> bool:
    """Whether a phrase stands in a text, both flat, not beginning or ending inside a word (`open_end`: or ending).

    An apostrophe is inside a word but for what English puts after one (Alice's) and Romance languages before (l'art).
    """
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        begins = not _joined(text[at - 1 : at], phrase[:1]) and not _apostrophe_before(text, at, phrase)
        if begins and (open_end or (not _joined(phrase[-1:], text[end : end + 1]) and not _goes_on(text, end, phrase))):
            return True
        # what begins inside a word does not count: on to its end
        at = text.find(phrase, max(at + 1, _word_end(text, at)))
    return False


def _word_end(text: str, at: int) -> int:
    """Where the word that `at` is in ends."""
    rest = _REST.match(text, at)
    return rest.end() if rest else at


def _joined(before: str, after: str) -> bool:
    """Whether two characters next to each other belong to one word."""
    return before.isalnum() and after.isalnum() and not _UNSPACED.match(before) and not _UNSPACED.match(after)


def _apostrophe_before(text: str, at: int, phrase: str) -> bool:
    """Whether a word goes over an apostrophe into the phrase."""
    if phrase[:1] == "'":
        return text[at - 1 : at].isalnum() and phrase[1:2].isalnum()
    if text[at - 1 : at] != "'" or not phrase[:1].isalnum():
        return False
    before = _WORD_BEFORE.search(text, max(0, at - 20), at - 1)
    return before is not None and before.group() not in ELISIONS


def _goes_on(text: str, end: int, phrase: str) -> bool:
    """Whether the last word of the phrase goes on: over an apostrophe, or from a scheme into its address."""
    last = end - len(phrase.rpartition(" ")[2])
    if any(found.start() < end < found.end() for found in _SCHEME.finditer(text, last, end + 20)):
        return True
    if phrase[-1:] == "'":
        return text[end : end + 1].isalnum() and phrase[-2:-1].isalnum()
    if text[end : end + 1] != "'" or not phrase[-1:].isalnum():
        return False
    after = _WORD_AFTER.match(text, end + 1)
    return after is not None and after.group() not in CLITICS


def is_unspaced(word: str) -> bool:
    """Whether a word begins with a character of a script without spaces."""
    return _UNSPACED.match(word) is not None
