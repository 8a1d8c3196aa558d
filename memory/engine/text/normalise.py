"""Normalisation of a single token: Unicode form, case, marks, length.  Pure functions on short strings.

* :func:`normalise` - NFKC and casefold (UAX #15, UTS #10 do not apply; the recipe is ``toNFKC_Casefold`` of the Unicode
  standard, section 3.13), invisible characters removed, apostrophes and hyphens unified, Arabic tashkeel/tatweel and
  Hebrew niqqud removed, alef with hamza/madda/wasla read as alef.
* :func:`fold` - accents removed, so that ``cafe`` finds ``café``.  Marks of the general combining blocks go, whatever
  their base letter, except that Cyrillic keeps what makes a different letter (й, ў, ї); ё becomes е.  Letters that do
  not decompose are mapped (ł ø đ æ œ ð þ ħ).  Vowel signs of Indic scripts are not accents and stay.  ``ß`` is ``ss``
  by casefold; the Turkish dotless ``ı`` stays itself and ``İ`` becomes ``i``, also by casefold.
* :func:`shorten` - no term is longer than 64 characters.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b
from typing import Final

from memory.engine.text.charsets import IGNORED, MARKS, SELECTORS, SKIN_TONES

MAX_TERM: Final = 64
_KEPT: Final = 40

_TASHKEEL = "\u0610-\u061a\u0640\u064b-\u0655\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
_NIQQUD = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_REMOVED = re.compile(rf"[\s{IGNORED}{SELECTORS}{_TASHKEEL}{_NIQQUD}]+")
_UNIFIED = str.maketrans(
    {
        **dict.fromkeys("\u2019\u02bc\u05f3\u05f4", "'"),
        **dict.fromkeys("\u2010\u2011", "-"),
        **dict.fromkeys("\u0622\u0623\u0625\u0671", "\u0627"),
        "\\": "/",
    }
)
_ACCENTS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_CYRILLIC = "\u0400-\u052f"
_FOLDED = re.compile(rf"(?<![{_CYRILLIC}])[{_ACCENTS}]+|(?<=[{_CYRILLIC}])[\u0300\u0301]|(?<=\u0435)\u0308")
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ħ": "h"})
_FLOOD = re.compile(rf"([{MARKS}]{{8}})[{MARKS}]++")
_EMOJI_MODIFIERS = re.compile(f"[\ufe0e\ufe0f{SKIN_TONES}]+")


def calm(text: str) -> str:
    """Cut runs of combining marks to 8.

    CPython orders combining marks by insertion, which is quadratic in the length of a run (100 000 marks of mixed
    classes take minutes).  No language stacks 8 marks on a letter; UAX #15 itself draws the line at 30.
    """
    return _FLOOD.sub(r"\1", text) if len(text) > 8 else text


def normalise(token: str) -> str:
    """NFKC and casefold of one token with invisible characters and vocalisation removed (see the module)."""
    if token.isascii():
        return token.lower().replace("\\", "/")
    if token.isalpha() and max(token) < "\u0530" and "\u02bc" not in token and unicodedata.is_normalized("NFKC", token):
        text = token.casefold()  # Latin, Greek, Cyrillic letters: nothing else to do
        if text.isalpha():  # not so for "İ" or "ΐ", which casefold to a letter and marks
            return text
    text = _REMOVED.sub("", calm(token)).translate(_UNIFIED)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold())
    text = unicodedata.normalize("NFKC", text.casefold())
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _REMOVED.sub("", text.translate(_UNIFIED)))


def fold(token: str) -> str:
    """A normalised token without accents (see the module); ASCII is returned as it is."""
    if token.isascii():
        return token
    apart = unicodedata.normalize("NFD", token)
    if apart == token and token.isalpha():
        return token.translate(_LETTERS)
    plain = _FOLDED.sub("", apart)
    return unicodedata.normalize("NFC", plain).translate(_LETTERS)


def shorten(term: str) -> str:
    """The term itself up to 64 characters, else its first 40, ``~`` and 16 hex digits of its BLAKE2b digest."""
    if len(term) <= MAX_TERM:
        return term
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{term[:_KEPT]}~{digest}"


def emoji(sequence: str) -> str:
    """An emoji sequence without skin tones and variation selectors; may be empty (a lone skin tone)."""
    return _EMOJI_MODIFIERS.sub("", sequence)
