"""Dates with what was said about them: before, since, between, around; as windows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memory.engine.dates import beside, counted, named, numeric, periods
from memory.engine.dates.cursor import Cue, Match, Text
from memory.engine.dates.lexicon import Sort
from memory.engine.dates.periods import Period
from memory.engine.dates.reading import Granularity, Relation
from memory.engine.dates.scan import Kind

MOST: Final = 8
"""Dates read in one text; what follows them is left."""
_BY_HOW_MUCH: Final = frozenset(
    {
        *("multiplied", "multiply", "divided", "divide", "increased", "increase", "decreased", "decrease"),
        *("reduced", "reduce", "scaled", "off", "down", "up"),
    }
)
"""What comes before a "by" that names no time."""
_CUES: Final = {
    Sort.IN: Cue.IN,
    Sort.ON: Cue.ON,
    Sort.FOR: Cue.FOR,
    Sort.FROM: Cue.FOR,
    Sort.ABOUT: Cue.OTHER,
}
_STARTS: Final = frozenset(Sort) - {
    *(Sort.GENERIC, Sort.AND, Sort.TO, Sort.EVERY, Sort.AHEAD, Sort.TITLE, Sort.OF, Sort.ARTICLE, Sort.AGO, Sort.HENCE),
    *(Sort.SHIFT_BACK, Sort.ROLLING_BACK, Sort.ONWARD, Sort.DAYPART),
}
"""What a date can begin with."""
_RELATIONS: Final = {
    Sort.BEFORE: Relation.BEFORE,
    Sort.AFTER: Relation.AFTER,
    Sort.SINCE: Relation.SINCE,
    Sort.UNTIL: Relation.UNTIL,
    Sort.AROUND: Relation.AROUND,
}


@dataclass(frozen=True, slots=True)
class Piece:
    """One date of a text, in local time, and the tokens [first, after) that say it."""

    relation: Relation
    period: Period
    first: int
    after: int

    @property
    def start(self) -> datetime | None:
        """The beginning of what is asked for; None when it is open."""
        open_start = self.relation in (Relation.BEFORE, Relation.UNTIL)
        return None if open_start else self.period.end if self.relation is Relation.AFTER else self.period.start

    @property
    def end(self) -> datetime | None:
        """Its end; None when it is open."""
        open_end = self.relation in (Relation.AFTER, Relation.SINCE)
        return None if open_end else self.period.start if self.relation is Relation.BEFORE else self.period.end


def pieces(text: Text) -> list[Piece]:
    """The dates of a text in order."""
    found: list[Piece] = []
    at = 0
    while at < len(text.tokens) and len(found) < MOST:
        piece = max(_pieces_at(text, at), key=lambda one: one.after, default=None)
        if piece:
            found.append(piece)
        at = piece.after if piece else at + 1
    for here in reversed(range(len(found) - 1)):
        found[here] = _with_year_of(text, found[here], found[here + 1])
    return found


def _with_year_of(text: Text, piece: Piece, following: Piece) -> Piece:
    """`May 7` in "May 7 and May 9, 2024" has the year of what follows."""
    period, other = piece.period, following.period
    between = following.first - piece.after
    beside_it = text.take(piece.after, Sort.AND) or text.kind(piece.after) is Kind.SIGN
    joined = between == 0 or (between == 1 and beside_it)
    if not joined or period.floating != "year" or other.floating or not other.said or other.start.tzinfo:
        return piece
    try:
        moved = period.moved(years=other.start.year - period.start.year)
        return replace(piece, period=moved.moved(years=-1) if moved.start > other.start else moved)
    except ValueError:
        return piece


def _pieces_at(text: Text, at: int) -> Iterator[Piece]:
    """All readings that begin at a token, what says more first."""
    kind = text.kind(at)
    if kind is Kind.WORD and not _STARTS.isdisjoint(text.found[at].by_sort):
        pass
    elif kind not in (Kind.NUMBER, Kind.DATE, Kind.QUARTER):
        return
    yield from _plain(text, at, at, Cue.NONE)
    if text.kind(at) is Kind.WORD:
        yield from _range(text, at, at, Cue.RANGE, joined=False)  # Mon-Fri, May to June
    for sort in (Sort.BETWEEN, Sort.FROM):
        if taken := text.take(at, sort):
            yield from _range(text, at, taken[1], Cue.RANGE, joined=sort is Sort.BETWEEN)
            if sort is Sort.FROM:
                yield from _onward(text, at, taken[1])
    for sort, relation in _RELATIONS.items():
        if taken := text.take(at, sort):
            yield from _related(text, at, taken[1], relation)
    for sort, cue in _CUES.items():
        if taken := text.take(at, sort):
            yield from _plain(text, at, taken[1], cue)


def point(text: Text, at: int, cue: Cue) -> Match | None:
    """The longest reading of one date that begins at token `at`."""
    simple = _simple(text, at, cue)
    found = _longest(beside.readings(text, at, lambda where, why: _simple(text, where, why)))
    return max((one for one in (simple, found) if one), key=lambda one: one[1], default=None)


def _simple(text: Text, at: int, cue: Cue) -> Match | None:
    if not 0 <= at < len(text.tokens):
        return None
    if (at, cue) not in text.read:
        every = text.take(at - 1, Sort.EVERY)
        text.read[at, cue] = None if every else _longest(_rules(text, at, cue))
    return text.read[at, cue]


def _rules(text: Text, at: int, cue: Cue) -> Iterator[Match | None]:
    kind = text.kind(at)
    if kind is Kind.DATE:
        yield numeric.read(text, at, cue)
        return
    if kind in (Kind.SIGN, Kind.DASH) or (kind is Kind.WORD and not text.found[at].by_sort):
        return
    yield from named.readings(text, at, cue)
    yield from counted.readings(text, at, cue)


def _longest(matches: Iterator[Match | None]) -> Match | None:
    """Rules that meet an impossible date (February 30) end the reading at that token."""
    best: Match | None = None
    try:
        for match in matches:
            if match and (best is None or match[1] > best[1]):
                best = match
    except (ValueError, OverflowError, StopIteration, IndexError):
        pass
    return best


def _best(text: Text, at: int, cue: Cue) -> Match | None:
    """The date after a preposition or relation, and after articles; after a relation also after a preposition."""
    second = (Sort.ON, Sort.IN) if cue in (Cue.RELATION, Cue.RANGE) else ()
    starts = dict.fromkeys((at, text.skip(at, Sort.ARTICLE), text.skip(at, *second, Sort.ARTICLE)))
    found = [match for start in starts if (match := point(text, start, cue))]
    return max(found, key=lambda one: one[1], default=None)


def _plain(text: Text, first: int, at: int, cue: Cue) -> Iterator[Piece]:
    match = _best(text, at, cue) if cue is not Cue.NONE else point(text, at, cue)
    if match is None:
        return
    yield Piece(Relation.AT, match[0], first, match[1])
    yield from _to(text, first, match, joined=False)


def _range(text: Text, first: int, at: int, cue: Cue, *, joined: bool) -> Iterator[Piece]:
    if match := _best(text, at, cue):
        yield from _to(text, first, match, joined=joined)
        if match[0].granularity is Granularity.DAY and match[0].said and match[0].end - match[0].start > periods.DAY:
            # "between 7 and 9 May" is one period already
            yield Piece(Relation.BETWEEN, match[0], first, match[1])


def _to(text: Text, first: int, start: Match, *, joined: bool) -> Iterator[Piece]:
    """`… to <date>` after a date."""
    at = start[1]
    dash = text.kind(at) is Kind.DASH
    to = text.take(at, Sort.AND) if joined else text.take(at, Sort.TO)
    if not (dash or to):
        return
    end = _best(text, to[1] if to else at + 1, Cue.RANGE)
    if end is None:
        return
    begin, until = _aligned(start[0], end[0])
    coarser = max(begin.granularity, until.granularity, key=list(Granularity).index)
    yield Piece(Relation.BETWEEN, replace(until, start=begin.start, granularity=coarser), first, end[1])


def _aligned(start: Period, end: Period) -> tuple[Period, Period]:
    """Both ends in one stretch, where the year or the week of one had to be guessed."""
    if start.start.tzinfo or end.start.tzinfo:
        return start, end
    if start.floating == "year":
        start = start.moved(years=end.start.year - start.start.year)
        start = start.moved(years=-1) if start.start > end.start else start
    elif start.floating == "week" and end.floating == "week" and start.start > end.start:
        start = start.moved(days=-7)
    elif end.floating == "year":
        end = end.moved(years=start.start.year - end.start.year)
        end = end.moved(years=1) if end.start < start.start else end
    elif end.floating == "week":
        end = end.moved(days=-((end.start - start.start).days // 7) * 7)
    return start, end


def _onward(text: Text, first: int, at: int) -> Iterator[Piece]:
    """`from May 7 onwards`."""
    match = _best(text, at, Cue.RELATION)
    onward = text.take(match[1], Sort.ONWARD) if match else None
    if match and onward and (text.take(match[1], Sort.ON) is None or text.ends(onward[1])):
        yield Piece(Relation.SINCE, match[0], first, onward[1])


def _related(text: Text, first: int, at: int, relation: Relation) -> Iterator[Piece]:
    weak = text.tokens[first].text == "by" and at == first + 1
    if weak and first > 0 and text.tokens[first - 1].text in _BY_HOW_MUCH:
        return
    match = _best(text, at, Cue.FOR if weak else Cue.RELATION)
    if match is None:
        match = _duration(text, at) if relation is Relation.SINCE else None
    if match is None:
        return
    period, after = match
    if relation is Relation.AROUND:
        # "about yesterday" names a topic, "about May 7" is not sure of the day
        sure = text.take(first, Sort.ABOUT) is None or period.said
        yield Piece(relation, period.widened(), first, after) if sure else Piece(Relation.AT, period, first, after)
        return
    yield Piece(relation, period, first, after)


def _duration(text: Text, at: int) -> Match | None:
    """`since two weeks`."""
    units = counted.units_at(text, at)
    if units is None:
        return None
    return periods.rolling(units.unit, units.many, text.today), units.after
