"""Snowball stemming (PyStemmer) with the language chosen per word.

A word is stemmed by the language of the text if it is written in that language's script, and by the default language
of its own script otherwise: ``running`` in a Russian note is stemmed as English and ``книги`` in an English one as
Russian.  This keeps documents and queries consistent when they mix scripts or when their languages were guessed
differently.  Latin words of a language without a stemmer stay as they are.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from importlib import import_module
from typing import Final, Protocol, cast

#: ISO 639-1 code -> (script, Snowball algorithm).
ALGORITHMS: Final[dict[str, tuple[str, str]]] = {
    "en": ("latin", "english"),
    "de": ("latin", "german"),
    "fr": ("latin", "french"),
    "es": ("latin", "spanish"),
    "it": ("latin", "italian"),
    "pt": ("latin", "portuguese"),
    "nl": ("latin", "dutch"),
    "sv": ("latin", "swedish"),
    "no": ("latin", "norwegian"),
    "da": ("latin", "danish"),
    "fi": ("latin", "finnish"),
    "hu": ("latin", "hungarian"),
    "ro": ("latin", "romanian"),
    "tr": ("latin", "turkish"),
    "pl": ("latin", "polish"),
    "cs": ("latin", "czech"),
    "ca": ("latin", "catalan"),
    "eu": ("latin", "basque"),
    "eo": ("latin", "esperanto"),
    "et": ("latin", "estonian"),
    "ga": ("latin", "irish"),
    "id": ("latin", "indonesian"),
    "lt": ("latin", "lithuanian"),
    "ru": ("cyrillic", "russian"),
    "sr": ("cyrillic", "serbian"),
    "el": ("greek", "greek"),
    "hy": ("armenian", "armenian"),
    "ar": ("arabic", "arabic"),
    "fa": ("arabic", "persian"),
    "hi": ("devanagari", "hindi"),
    "ne": ("devanagari", "nepali"),
    "ta": ("tamil", "tamil"),
    "yi": ("hebrew", "yiddish"),
}
#: Languages of other scripts, with or without a stemmer: their Latin words are taken as English.
_OTHER_SCRIPTS: Final = frozenset(
    {code for code, (script, _) in ALGORITHMS.items() if script != "latin"}
    | {"ja", "zh", "ko", "th", "lo", "km", "my", "uk", "be", "bg", "mk", "he", "ur", "mr", "bn", "ka", "am"}
)
#: (first code point, end, script, default language) of the scripts with a stemmer.
_SCRIPTS: Final = (
    (0x0370, 0x0400, "greek", "el"),
    (0x0400, 0x0530, "cyrillic", "ru"),
    (0x0530, 0x0590, "armenian", "hy"),
    (0x0590, 0x0600, "hebrew", ""),
    (0x0600, 0x0780, "arabic", "ar"),
    (0x0900, 0x0980, "devanagari", "hi"),
    (0x0B80, 0x0C00, "tamil", "ta"),
    (0x1F00, 0x2000, "greek", "el"),
)
_ALIASES: Final = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi"}
#: PyStemmer, a C extension without type information.
_snowball = import_module("Stemmer")
_AVAILABLE: Final = frozenset(cast(list[str], _snowball.algorithms()))
_local = threading.local()


@lru_cache(maxsize=256)
def canonical_language(language: str) -> str:
    """The ISO 639-1 code of a language tag: ``pt-BR`` -> ``pt``, ``NB`` -> ``no``."""
    code = language.replace("_", "-").split("-", 1)[0].strip().lower()
    return _ALIASES.get(code, code)


def word_language(word: str, language: str) -> str:
    """The language whose stemmer and stop words apply to a normalised word of a text in ``language``."""
    code = ord(word[0])
    if code < 0x370 or 0x1E00 <= code < 0x1F00:
        return "en" if language in _OTHER_SCRIPTS else language
    for first, end, script, default in _SCRIPTS:
        if first <= code < end:
            own = ALGORITHMS.get(language)
            return language if own is not None and own[0] == script else default
    return ""


class _Stemmer(Protocol):
    """What is used of ``Stemmer.Stemmer``."""

    def stemWord(self, word: str, /) -> str:
        """The stem of one word."""


def _stemmer(language: str) -> _Stemmer | None:
    """This thread's stemmer of a language (Stemmer objects are not thread-safe), or None."""
    stemmers: dict[str, _Stemmer | None] | None = getattr(_local, "stemmers", None)
    if stemmers is None:
        stemmers = _local.stemmers = {}
    if language not in stemmers:
        name = ALGORITHMS.get(language, ("", ""))[1]
        stemmers[language] = cast(_Stemmer, _snowball.Stemmer(name, 0)) if name in _AVAILABLE else None
    return stemmers[language]


def stem(word: str, language: str) -> str:
    """The Snowball stem of a normalised word, or the word where the language has no stemmer."""
    stemmer = _stemmer(language)
    if stemmer is None or len(word) > 64:
        return word
    return stemmer.stemWord(word) or word
