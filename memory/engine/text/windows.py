"""Cutting long text into windows, and a rough token count.  All offsets and sizes are in characters (code points)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_PARAGRAPH: Final = re.compile(r"\n[^\S\n]*\n\s*")
_SENTENCE: Final = re.compile(r"[.!?\u2026][\"')\]\u2019\u201d]*\s+|[\u3002\uff01\uff1f][\u300d\u300f\uff09]*\s*")
_LINE: Final = re.compile(r"\n\s*")
_SPACE: Final = re.compile(r"\s+")
#: Characters of an inseparable sequence are not cut apart within this many characters.
_MAX_CLUSTER: Final = 16


def _last_boundary(text: str, start: int, low: int, high: int) -> int | None:
    """The best cut in (low, high] of a window from ``start``: the last paragraph end, else sentence, line, word.

    None if there is none; matches are looked for from ``start`` so that one across ``low`` counts.
    """
    for pattern in (_PARAGRAPH, _SENTENCE, _LINE, _SPACE):
        cut = 0
        for match in pattern.finditer(text, start, high):
            cut = match.end()
        if cut > low:
            return cut
    return None


def _inseparable(text: str, at: int) -> bool:
    """Whether cutting before ``text[at]`` would part a letter from its marks or an emoji sequence."""
    char = text[at]
    return (
        unicodedata.category(char)[0] == "M"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or char == "\u200d"
        or text[at - 1] == "\u200d"
    )


def _hard_cut(text: str, low: int, high: int) -> int:
    """``high``, or a little before it where that keeps a character sequence together."""
    for cut in range(high, max(low, high - _MAX_CLUSTER), -1):
        if not _inseparable(text, cut):
            return cut
    return high


def windows(text: str, max_chars: int, overlap: int = 0) -> list[tuple[int, str]]:
    """Cut a text into (offset, window) of at most ``max_chars`` characters, at a natural boundary where possible.

    A window is cut after the last paragraph end in its second half, else after the last sentence, line or word there,
    else hard.  Consecutive windows share up to ``overlap`` characters, fewer where that lets a window begin with a
    word.  With ``overlap=0`` the concatenation of the windows is the text.  An empty text has no windows.
    """
    if max_chars < 1 or not 0 <= overlap < max_chars:
        raise ValueError("windows() needs max_chars >= 1 and 0 <= overlap < max_chars")
    out: list[tuple[int, str]] = []
    start = 0
    while len(text) - start > max_chars:
        high = start + max_chars
        low = start + max(max_chars // 2, overlap)
        cut = _last_boundary(text, start, low, high) or _hard_cut(text, low, high)
        out.append((start, text[start:cut]))
        start = cut
        if overlap:
            space = _SPACE.search(text, cut - overlap - 1, cut)
            start = space.end() if space else cut - overlap
    if start < len(text):
        out.append((start, text[start:]))
    return out


def fixed_windows(text: str, size: int = 800) -> list[tuple[int, str]]:
    """Cut a text into (offset, window) of exactly ``size`` characters (the last may be shorter), blank ones dropped.

    This is what mnemostack does for ``chunk: true``: no overlap, no regard for words.
    """
    if size < 1:
        raise ValueError("fixed_windows() needs size >= 1")
    pieces = ((at, text[at : at + size]) for at in range(0, len(text), size))
    return [(at, piece) for at, piece in pieces if piece.strip()]


def estimate_tokens(text: str) -> int:
    """A model-independent estimate of the number of LLM tokens: 4 ASCII or 2 other characters make one; at least 1."""
    ascii_chars = len(text.encode("ascii", "ignore"))
    return max(1, round(ascii_chars / 4 + (len(text) - ascii_chars) / 2))
