"""Character classes and the scanner: which parts of a text become tokens.

All classes are written as the inside of a regular-expression set (``[...]``).  The scanner is one alternation whose
parts start with disjoint characters and use possessive quantifiers, so its running time is linear in the text.

``\\w`` of :mod:`re` is not enough: it leaves out combining marks (NFD ``é``, Devanagari vowel signs) and takes in
scripts that are written without spaces, which are cut into bigrams instead of words.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# --- scripts without spaces between words: maximal runs of one script become overlapping bigrams ------------------
HAN: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
HIRAGANA: Final = "\u3041-\u3096\u309d-\u309f"
KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
#: Voicing marks (combining, half-width) and the prolonged sound mark continue a kana run of either kind.
KANA_EXTRA: Final = "\u3099\u309a\u30fc\uff70\uff9e\uff9f"
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa1-\uffdc"
THAI: Final = "\u0e01-\u0e3a\u0e40-\u0e4e"
LAO: Final = "\u0e81-\u0ece\u0edc-\u0edf"
KHMER: Final = "\u1780-\u17b3\u17b6-\u17d3\u17d7\u17dc\u17dd"
BURMESE: Final = "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
#: Variation selectors; they follow a Han character or an emoji and carry no meaning for search.
SELECTORS: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

RUNS: Final = (
    f"[{HAN}][{HAN}{SELECTORS}]*+",
    f"[{HIRAGANA}][{HIRAGANA}{KANA_EXTRA}]*+",
    f"[{KATAKANA}][{KATAKANA}{KANA_EXTRA}]*+",
    *(f"[{script}]++" for script in (HANGUL, THAI, LAO, KHMER, BURMESE)),
)
UNSPACED: Final = f"{HAN}{HIRAGANA}{KATAKANA}{KANA_EXTRA}{HANGUL}{THAI}{LAO}{KHMER}{BURMESE}"

# --- emoji: a base, its modifiers, and further bases glued with ZERO WIDTH JOINER -----------------------------------
SKIN_TONES: Final = "\U0001f3fb-\U0001f3ff"
EMOJI: Final = (
    "\u231a\u231b\u23e9-\u23f3\u23f8-\u23fa\u2600-\u2775\u2794-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\U0001f000-\U0001f0ff\U0001f18e\U0001f191-\U0001f1ff\U0001f200-\U0001faff"
)
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_ONE = f"[{EMOJI}][\ufe0e\ufe0f{SKIN_TONES}\U000e0020-\U000e007f]*+"
EMOJI_SEQUENCE: Final = f"{_FLAG}|{_ONE}(?:\u200d{_ONE})*+"

#: Arabic honorifics encoded as one letter: whole phrases (18 characters in NFKC), no words; not indexed.
PHRASES: Final = "\ufdfa\ufdfb"

#: Invisible characters that may stand inside a word: soft hyphen, joiners, direction marks, word joiner, BOM.
IGNORED: Final = "\u00ad\u034f\u200c-\u200f\u2060\ufeff"


def _ranges(codes: list[int]) -> str:
    """A character set (inside of ``[...]``) from sorted code points."""
    out: list[str] = []
    start = previous = codes[0]
    for code in [*codes[1:], -1]:
        if code != previous + 1:
            out.append(f"{re.escape(chr(start))}-{re.escape(chr(previous))}")
            start = code
        previous = code
    return "".join(out)


def _bmp_classes() -> tuple[str, str, str]:
    """(word characters that are no marks, word characters, all combining marks) of the BMP, the first two without the
    unspaced scripts and emoji; some 20 ms, once.
    """
    skip = re.compile(f"[{UNSPACED}{EMOJI}{PHRASES}]")
    starts: list[int] = []
    words: list[int] = []
    marks: list[int] = []
    for code in range(0x10000):
        char = chr(code)
        mark = unicodedata.category(char)[0] == "M"
        if mark:
            marks.append(code)
        if (mark or char.isalnum() or char == "_") and not skip.match(char):
            words.append(code)
            if not mark:
                starts.append(code)
    return _ranges(starts), _ranges(words), _ranges(marks)


_STARTS, _WORDS, MARKS = _bmp_classes()
#: Word characters.  Beyond the BMP whole planes are taken (historic scripts, mathematical letters); symbols among
#: them are dropped later because a term needs at least one letter or digit.
_ASTRAL: Final = "\U00010000-\U0001d7ff\U0001e000-\U0001efff\U0001f100-\U0001f18d"
WORD: Final = f"{_WORDS}{IGNORED}{_ASTRAL}\U000e0100-\U000e01ef"
#: A word does not begin with a mark, or "΅" (not a word character) would differ from its NFD "¨" + mark.
WORD_START: Final = f"{_STARTS}{_ASTRAL}"

APOSTROPHES: Final = "'\u2019\u05f3\u05f4"
HYPHENS: Final = "\\-\u2010\u2011"


def _scanner(start: str, word: str, apostrophes: str, hyphens: str, extra: tuple[str, ...]) -> re.Pattern[str]:
    """The scanner for one class of word characters: URLs, words and identifiers, then the alternatives ``extra``.

    Inside an identifier one connector may stand between word characters, so trailing sentence punctuation never
    belongs to it.  A scheme has at most 16 characters, which bounds the look-ahead for ``://``.
    """
    joint = rf"(?:[./\\@&+{hyphens}{apostrophes}]|:[\\/:]?+|(?<=\d),(?=\d))"
    url = rf"[A-Za-z][A-Za-z0-9+.\-]{{1,15}}+://(?:[{word}\-.~:/?#@!$&*+,;%]|=(?!\u0338))*+"
    name = rf"[@#]?[{start}][{word}]*+(?:{joint}[{start}][{word}]*+)*+(?:\+\+(?!\+)|#(?![#{word}]))?"
    return re.compile("|".join((url, name, *extra)))


SCAN_ASCII: Final = _scanner("A-Za-z0-9_", "A-Za-z0-9_", "'", "\\-", ())
SCAN: Final = _scanner(WORD_START, WORD, APOSTROPHES, HYPHENS, (*RUNS, EMOJI_SEQUENCE))

#: First character of a run of an unspaced script, of an emoji sequence.
RUN_START: Final = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}{HANGUL}{THAI}{LAO}{KHMER}{BURMESE}]")
EMOJI_START: Final = re.compile(f"[{EMOJI}]")


def scanner(text: str) -> re.Pattern[str]:
    """The scanner to use for a text: pure ASCII needs (and pays for) the small one only; results are the same."""
    return SCAN_ASCII if text.isascii() else SCAN
