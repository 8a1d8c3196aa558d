"""Cutting a text where its parts end. The server's `ingest` command cuts in the same way, so that a text cut here and
there gives the same memories."""

import re
import unicodedata

SIZE = 800
_ENDS = (
    re.compile(r"\n[^\S\n]*\n\s*"),  # of a paragraph
    re.compile(r"[.!?\u2026][\"')\]\u2019\u201d]*\s+|[\u3002\uff01\uff1f][\u300d\u300f\uff09]*\s*"),  # of a sentence
    re.compile(r"\n\s*"),  # of a line
    re.compile(r"\s+"),  # of a word
)
_LONGEST_SEQUENCE = 16


def windows(text: str, size: int = SIZE) -> list[tuple[int, str]]:
    """Offset and text of each window, in characters. A window is at most `size` long and is cut after the last
    paragraph end in its second half, else the last sentence, line or word there, else hard. Together they are the
    text."""
    if size < 1:
        raise ValueError("a window holds at least one character")
    found: list[tuple[int, str]] = []
    start = 0
    while len(text) - start > size:
        low, high = start + size // 2, start + size
        cut = _natural_cut(text, start, low, high) or _hard_cut(text, low, high)
        found.append((start, text[start:cut]))
        start = cut
    if start < len(text):
        found.append((start, text[start:]))
    return found


def _natural_cut(text: str, start: int, low: int, high: int) -> int | None:
    for pattern in _ENDS:
        cut = 0
        for match in pattern.finditer(text, start, high):
            cut = match.end()
        if cut > low:
            return cut
    return None


def _hard_cut(text: str, low: int, high: int) -> int:
    """At `high`, or a little before it where that keeps a letter with its marks, or an emoji, together."""
    for cut in range(high, max(low, high - _LONGEST_SEQUENCE), -1):
        if not _inseparable(text, cut):
            return cut
    return high


def _inseparable(text: str, at: int) -> bool:
    char = text[at]
    return (
        unicodedata.category(char)[0] == "M"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or char == "\u200d"
        or text[at - 1] == "\u200d"
    )
