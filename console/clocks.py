"""The two clocks of a memory: when it was true in the world, and when Loci knew it. As lists, and as a drawing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from loci.ground.instants import parse_instant
from memory.engine.types import Record

LEFT, RIGHT = 130.0, 920.0
MOST_TICKS = 7
LETTER = 6.2


@dataclass(frozen=True, slots=True)
class Entry:
    """One stretch of time: half-open, an open end is None. `state` is `now`, `end` (over) or nothing; `by` is who
    wrote it."""

    title: str
    when: str
    start: datetime | None
    end: datetime | None
    state: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch in the drawing."""

    title: str
    x: float
    width: float
    text_x: float
    now: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """An instant below the drawing."""

    x: float
    label: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Lanes:
    """The drawing: two rows of bars over one row of ticks. Ticks are evenly spaced, so it is not to scale."""

    world: Sequence[Bar]
    points: Sequence[Bar]
    known: Sequence[Bar]
    ticks: Sequence[Tick]
    spoken: str


def moment_of(text: str | None) -> datetime | None:
    """The instant that a record gives as text."""
    return None if text is None else parse_instant(text, naive_is_utc=True)


def said(moment: datetime) -> str:
    """An instant for people: a date alone at midnight UTC, as a bare date is read."""
    if moment.astimezone(UTC).time() == datetime.min.time():
        return date_format(moment.astimezone(UTC), pgettext("the format of a date", "j M Y"))
    return date_format(local(moment), pgettext("the format of a date and time", "j M Y, H:i"))


def local(moment: datetime) -> datetime:
    """`moment` in the tenant's time zone, or in UTC where that would leave the years 1 to 9999."""
    try:
        return timezone.localtime(moment)
    except OverflowError:
        return moment.astimezone(UTC)


def world_entries(current: Record, versions: Sequence[Record]) -> list[Entry]:
    """When it was true, by what is believed now (or was last)."""
    believed = [one for one in versions if one.payload["known_to"] is None] or [current]
    now = timezone.now()
    entries = []
    for one in believed:
        start, end = moment_of(one.payload["valid_from"]), moment_of(one.payload["valid_to"])
        over = end is not None and end <= now
        state = "end" if over else "now" if one.payload["known_to"] is None else ""
        title = _("At any time") if len(believed) == 1 and start is end is None else _short(one.text)
        entries.append(Entry(title, _span(start, end), start, end, state))
    if happened := moment_of(current.payload["timestamp"]):
        entries.append(Entry(_("It happened"), said(happened), happened, happened, "end"))
    return sorted(entries, key=lambda entry: entry.start or datetime.min.replace(tzinfo=UTC))


def _span(start: datetime | None, end: datetime | None) -> str:
    if start and end:
        return f"{said(start)} – {said(end)}"
    if start:
        return _("since %(when)s") % {"when": said(start)}
    if end:
        return _("until %(when)s") % {"when": said(end)}
    return _("no dates were given")


def known_entries(versions: Sequence[Record], authors: Sequence[str] = ()) -> list[Entry]:
    """When we knew it: every version, oldest first, and a retraction at the end; `authors` wrote them."""
    oldest_first, writers = list(reversed(versions)), list(reversed(authors))
    entries: list[Entry] = []
    for at, one in enumerate(oldest_first):
        start, end = moment_of(one.payload["known_from"]), moment_of(one.payload["known_to"])
        title = _("Version %(n)d: %(what)s") % {"n": at + 1, "what": change(oldest_first, at)}
        state = "now" if end is None else "end" if at == 0 else ""
        entries.append(Entry(title, said(start) if start else "", start, end, state, writers[at] if writers else ""))
    last = moment_of(versions[0].payload["known_to"])
    if last is not None and all(one.payload["known_to"] is not None for one in versions):
        entries.append(Entry(_("Retracted: no longer recalled"), said(last), last, last, "end"))
    return entries


def change(oldest_first: Sequence[Record], at: int) -> str:
    """What a version did."""
    if at == 0:
        return _("written")
    before, one = oldest_first[at - 1], oldest_first[at]
    if before.payload["known_to"] and before.payload["known_to"] != one.payload["known_from"]:
        return _("restored")
    if before.text != one.text:
        return _("text corrected")
    return _("tags changed") if before.payload["tags"] != one.payload["tags"] else _("details changed")


def lanes(world: Sequence[Entry], known: Sequence[Entry], now: datetime) -> Lanes | None:
    """The drawing, or None when there is too much for it."""
    moments = sorted({moment for entry in (*world, *known) for moment in (entry.start, entry.end) if moment} | {now})
    if len(moments) > MOST_TICKS:
        return None
    before = any(entry.start is None for entry in world)
    places = _places(moments, before)
    beyond = RIGHT
    return Lanes(
        [_bar(entry, places, beyond) for entry in world if _lasts(entry)],
        [
            Bar(one.title, places[one.start], 0, places[one.start], False)
            for one in world
            if one.start and not _lasts(one)
        ],
        [_bar(entry, places, beyond) for entry in known if _lasts(entry)],
        _ticks(moments, places, now),
        _spoken(world, known),
    )


def _lasts(entry: Entry) -> bool:
    """Whether it is a stretch of time, not an instant."""
    return entry.start is None or entry.start != entry.end


def _places(moments: Sequence[datetime], before: bool) -> dict[datetime, float]:
    """Where each instant lies: evenly spaced, with room on the left when something has no beginning."""
    first = LEFT + (110.0 if before else 0.0)
    step = (RIGHT - 60.0 - first) / max(1, len(moments) - 1)
    return {moment: round(first + step * at, 1) for at, moment in enumerate(moments)}


def _bar(entry: Entry, places: dict[datetime, float], beyond: float) -> Bar:
    left = places[entry.start] if entry.start else LEFT
    right = places[entry.end] - 3 if entry.end else beyond
    room = int((right - left - 20) / LETTER)
    whole = f"{entry.title} · {entry.by}" if entry.by else entry.title
    title = whole if len(whole) <= room else f"{whole[: max(0, room - 1)].rstrip()}…" if room > 3 else ""
    return Bar(title, left, max(4.0, round(right - left, 1)), left + 12, entry.state == "now")


def _ticks(moments: Iterable[datetime], places: dict[datetime, float], now: datetime) -> list[Tick]:
    return [
        Tick(
            places[moment], _("now") if moment == now else said(moment), "start" if places[moment] == LEFT else "middle"
        )
        for moment in moments
    ]


def _spoken(world: Sequence[Entry], known: Sequence[Entry]) -> str:
    """The drawing in words."""
    return " ".join(
        [
            _("In the world:"),
            "; ".join(f"{entry.title}, {entry.when}" for entry in world) + ".",
            _("In Loci:"),
            "; ".join(", ".join(filter(None, (entry.title, entry.by, entry.when))) for entry in known) + ".",
        ]
    )


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else f"{words[:79].rsplit(' ', 1)[0]}…"
