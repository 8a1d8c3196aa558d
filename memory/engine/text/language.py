"""A small language detector: scripts first, then stop words for languages in Latin script.

It looks at up to 1500 characters (head and middle of the text) and costs some tens of microseconds.  It is meant for
choosing a stemmer, not for identifying a language: where the evidence is thin the caller's default wins.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from typing import Final

from memory.engine.text.normalise import fold
from memory.engine.text.stopword_data import SNOWBALL
from memory.engine.text.stopwords import OWN

_HALF: Final = 750
#: Fewest stop words found, and how clearly the winner must lead, for a vote to count.
_MIN_HITS: Final = 2
_MARGIN: Final = 1.15
_VOTERS: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "no", "da", "fi", "hu", "tr", "pl", "cs", "ro")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")

#: Sorted (first code point, script).  A script ends where the next one begins; "" is none of them.
_BLOCKS: Final = (
    (0x41, "latin"), (0x5B, ""), (0x61, "latin"), (0x7B, ""), (0xC0, "latin"), (0x2B0, ""), (0x370, "el"),
    (0x400, "cyrillic"), (0x530, "hy"), (0x590, "he"), (0x600, "ar"), (0x780, ""), (0x900, "hi"), (0x980, "bn"),
    (0xA00, ""), (0xB80, "ta"), (0xC00, ""), (0xE01, "th"), (0xE80, "lo"), (0xF00, ""), (0x1000, "my"),
    (0x10A0, "ka"), (0x1100, "ko"), (0x1200, "am"), (0x13A0, ""), (0x1780, "km"), (0x1800, ""), (0x1E00, "latin"),
    (0x1F00, "el"), (0x2000, ""), (0x3005, "han"), (0x3008, ""), (0x3041, "kana"), (0x3100, ""), (0x3131, "ko"),
    (0x3190, ""), (0x31F0, "kana"), (0x3200, ""), (0x3400, "han"), (0x4DC0, ""), (0x4E00, "han"), (0xA000, ""),
    (0xAC00, "ko"), (0xD7B0, ""), (0xF900, "han"), (0xFB00, "latin"), (0xFB1D, "he"), (0xFB50, "ar"), (0xFE00, ""),
    (0xFE70, "ar"), (0xFEFF, ""), (0xFF21, "latin"), (0xFF3B, ""), (0xFF41, "latin"), (0xFF5B, ""), (0xFF66, "kana"),
    (0xFFA0, "ko"), (0xFFE0, ""), (0x20000, "han"), (0x40000, ""),
)  # fmt: skip
_STARTS: Final = tuple(start for start, _ in _BLOCKS)
#: Characters that say more than one word does: they count as half a stop word, once each.
_TELLING: Final = {
    "ß": "de", "ñ": "es", "¿": "es", "¡": "es", "ã": "pt", "õ": "pt", "ő": "hu", "ű": "hu", "ğ": "tr", "ı": "tr",
    "ł": "pl", "ą": "pl", "ę": "pl", "ż": "pl", "ś": "pl", "ě": "cs", "ř": "cs", "ů": "cs", "ș": "ro", "ț": "ro",
    "ă": "ro", "œ": "fr",
}  # fmt: skip


@lru_cache(maxsize=1)
def _votes() -> dict[str, tuple[tuple[str, ...], float]]:
    """Stop word -> (languages that have it, weight of one occurrence for each of them).

    A word of n languages weighs 1/n.  Spellings without accents vote too, for people who type that way.
    """
    owners: dict[str, dict[str, None]] = {}
    for language in _VOTERS:
        for word in f"{SNOWBALL.get(language, '')} {OWN.get(language, '')}".split():
            for form in (word, fold(word)):
                owners.setdefault(form, {})[language] = None
    return {word: (tuple(languages), 1 / len(languages)) for word, languages in owners.items()}


def _script_counts(sample: str) -> Counter[str]:
    """Number of characters per script; Han counts double because a character says as much as several letters."""
    counts: Counter[str] = Counter()
    for char, number in Counter(sample).items():
        script = _BLOCKS[bisect_right(_STARTS, ord(char)) - 1][1] if char >= "A" else ""
        if script:
            counts[script] += 2 * number if script == "han" else number
    return counts


def _cyrillic(sample: str) -> str:
    """Russian unless letters that Russian lacks say otherwise."""
    present = set(sample.lower())
    if present & set("ыэё"):
        return "be" if "ў" in present else "ru"
    for language, letters in (("uk", "іїєґ"), ("sr", "ђћљњџј")):
        if present & set(letters):
            return language
    return "ru"


def _latin(sample: str, default: str) -> str:
    """The Latin-script language with the most stop words, or the default when they do not decide."""
    votes = _votes()
    lowered = sample.lower().replace("\u2019", "'")
    scores: dict[str, float] = dict.fromkeys(_VOTERS, 0.0)
    hits: Counter[str] = Counter()
    for word in _WORD.findall(lowered):
        found = votes.get(word)
        if found:
            for language in found[0]:
                scores[language] += found[1]
                hits[language] += 1
    if not lowered.isascii():
        for char, language in _TELLING.items():
            scores[language] += 0.5 * (char in lowered)
    best, second = sorted(_VOTERS, key=scores.__getitem__, reverse=True)[:2]
    clear = hits[best] >= _MIN_HITS and scores[best] >= 1 and scores[best] >= _MARGIN * scores[second]
    return best if clear else default


def detect_language(text: str, default: str = "en") -> str:
    """ISO 639-1 code of the language of a text, or ``default`` when it is too short or undecided.

    Kana make Japanese, Han alone Chinese, Hangul Korean, Cyrillic Russian (Ukrainian, Belarusian and Serbian by their
    own letters), Greek, Hebrew, Arabic, Devanagari (Hindi), Thai ... by script.  Latin script needs two stop words
    and a clear winner.
    """
    sample = text
    if len(text) > 2 * _HALF:
        middle = len(text) // 2
        sample = f"{text[:_HALF]} {text[middle : middle + _HALF]}"
    if sample.isascii():
        return _latin(sample, default)
    sample = unicodedata.normalize("NFC", sample)
    counts = _script_counts(sample)
    if counts["kana"] and counts["kana"] * 10 >= counts["han"]:
        counts["kana"] += counts.pop("han", 0)
    script = max(counts, key=lambda name: (counts[name], name), default="latin")
    if script == "latin":
        return _latin(sample, default)
    if script == "cyrillic":
        return _cyrillic(sample)
    return {"kana": "ja", "han": "zh"}.get(script, script)
