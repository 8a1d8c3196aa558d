"""Reading the dates of a question: which language's table, which windows, and what else the question says."""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import Final

from memory.engine.dates import periods
from memory.engine.dates.cursor import Text
from memory.engine.dates.languages import LEXICONS
from memory.engine.dates.lexicon import Lexicon, Sort, look_up
from memory.engine.dates.periods import Today
from memory.engine.dates.reading import DateReading, Granularity, Order, Relation, Window
from memory.engine.dates.relations import Piece, pieces
from memory.engine.dates.scan import DIGITS, MARKS, MAX_CHARS, WORD, Kind, Token, folded, tokens
from memory.engine.text.language import detect_language

LANGUAGES: Final = tuple(LEXICONS)
"""The languages that there are tables for."""
_SILENT: Final = frozenset(
    {Sort.GENERIC, Sort.ARTICLE, Sort.IN, Sort.ON, Sort.OF, Sort.FOR, Sort.ABOUT, Sort.AHEAD, Sort.AND, Sort.FROM}
)


def read_dates(
    text: str, *, now: datetime, zone: tzinfo, order: Order = "dmy", languages: Sequence[str] = LANGUAGES
) -> DateReading | None:
    """The time that `text` asks for, as a person in `zone` means it at `now` (which must have an offset); None if it
    names none. Only the first 2,048 characters and 256 words and signs are read, and at most eight dates.

    `order` says how `12/05/2025` is meant. `languages` are the tables that may be used, the likeliest first; unknown
    ones are passed over. Never raises for any text.
    """
    codes = [code for code in dict.fromkeys(languages) if code in LEXICONS] or ["en"]
    if not _promising(text[:MAX_CHARS], codes):
        return None
    scanned = tokens(text)
    try:
        clock = periods.local(now, zone)
    except OverflowError:  # the first or last day of time
        return None
    best: DateReading | None = None
    for lexicon, sure in _candidates(text, scanned, codes):
        found = _read(text, scanned, lexicon, sure, clock, zone, order)
        if found and (best is None or _covered(found) > _covered(best)):
            best = found
    return best


def _promising(text: str, codes: Sequence[str]) -> bool:
    """Whether there can be a date at all: nearly all questions end here, after a few microseconds."""
    if DIGITS.search(text) or MARKS.search(text):
        return True
    words = {folded(word) for word in WORD.findall(text)}
    return any(not words.isdisjoint(LEXICONS[code].cores) for code in codes)


def _candidates(text: str, scanned: Sequence[Token], codes: Sequence[str]) -> Iterator[tuple[Lexicon, bool]]:
    """The tables to try, and whether the text is known to be in that language: it is the only one, the detector says
    so, or more of its words are in that table than in any other."""
    detected = detect_language(text, "")
    if detected in codes:
        codes = [detected]
    if len(codes) == 1:
        yield LEXICONS[codes[0]], True
        return
    known = {code: sum(bool(one.by_sort) for one in look_up(scanned, LEXICONS[code], False)) for code in codes}
    likeliest = max(codes, key=lambda code: known[code])
    for code in codes:
        yield LEXICONS[code], code == likeliest


def _covered(reading: DateReading) -> int:
    return sum(end - start for start, end in reading.spans)


def _read(
    source: str, scanned: Sequence[Token], lexicon: Lexicon, sure: bool, clock: datetime, zone: tzinfo, order: Order
) -> DateReading | None:
    found = look_up(scanned, lexicon, sure)
    ahead = any(Sort.AHEAD in one.by_sort for one in found)
    text = Text(source, scanned, found, lexicon, Today(clock, ahead), order, sure)
    said = pieces(text)
    windows = _windows(said, zone)
    if not windows:
        return None
    return DateReading(
        tuple(windows),
        _relation(said, windows),
        max((piece.period.granularity for piece in said), key=list(Granularity).index),
        tuple((scanned[piece.first].start, scanned[piece.after - 1].end) for piece in said),
        _focused(text, said),
        lexicon.code,
    )


def _relation(said: Sequence[Piece], windows: Sequence[Window]) -> Relation:
    """What was said of the dates; a lower and an upper end make a stretch."""
    lower = any(piece.end is None for piece in said)
    upper = any(piece.start is None for piece in said)
    closed = all(window.start and window.end for window in windows)
    return Relation.BETWEEN if lower and upper and closed else said[0].relation


def _windows(said: Sequence[Piece], zone: tzinfo) -> list[Window]:
    """Closed windows side by side, each within what "before" and "since" leave of it."""
    closed: list[Window] = []
    ends: list[Window] = []
    for piece in said:
        if (window := _window(piece, zone)) is not None:
            (closed if window.start and window.end else ends).append(window)
    closed = [one for one in closed if not any(_inside(other, one) for other in closed)]
    limits = ends[0] if ends else None
    for window in ends[1:]:
        limits = (limits and _common(limits, window)) or limits
    if limits is None:
        return _merged(closed)
    return _merged([within for one in closed if (within := _common(one, limits))]) or _merged(closed) or [limits]


def _window(piece: Piece, zone: tzinfo) -> Window | None:
    try:
        start = periods.in_utc(piece.start, zone) if piece.start else None
        end = periods.in_utc(piece.end, zone) if piece.end else None
    except (OverflowError, ValueError):
        return None
    return None if start and end and start >= end else Window(start, end)


def _inside(inner: Window, outer: Window) -> bool:
    """Whether `inner` says more: "in May 2024, on a Friday"."""
    assert inner.start and inner.end and outer.start and outer.end
    return outer.start <= inner.start and inner.end <= outer.end and inner != outer


def _common(one: Window, other: Window) -> Window | None:
    starts = [window.start for window in (one, other) if window.start]
    ends = [window.end for window in (one, other) if window.end]
    start, end = max(starts, default=None), min(ends, default=None)
    return None if start and end and start >= end else Window(start, end)


def _merged(closed: Sequence[Window]) -> list[Window]:
    """In order of their start, those that touch as one."""
    merged: list[Window] = []
    for start, end in sorted((one.start, one.end) for one in closed if one.start and one.end):
        last = merged[-1] if merged else None
        if last and last.end and start <= last.end:
            merged[-1] = Window(last.start, max(last.end, end))
        else:
            merged.append(Window(start, end))
    return merged


def _focused(text: Text, said: Sequence[Piece]) -> bool:
    """Whether nothing but words like "what happened" stands beside the dates."""
    gaps = [(0, said[0].first), *((one.after, two.first) for one, two in pairwise(said))]
    gaps.append((said[-1].after, len(text.tokens)))
    return all(_says_nothing(text, first, after) for first, after in gaps)


def _says_nothing(text: Text, first: int, after: int) -> bool:
    at = first
    while at < after:
        if text.kind(at) in (Kind.SIGN, Kind.DASH):
            at += 1
            continue
        ends = [end for sort, (_, end) in text.found[at].by_sort.items() if sort in _SILENT]
        if not ends:
            return False
        at = max(ends)
    return True
