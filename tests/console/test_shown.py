"""Pure parts of the pages: snippets, word differences, the two clocks."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from console.clocks import known_entries, lanes, world_entries
from console.diff import word_diff
from console.figures import signed
from console.hits import joined, snippet
from console.templatetags.console import ago, initials
from memory.engine.types import Record

DAY = "2026-11-{:02}T10:00:00Z"


def version(number: int, text: str, known_to: int | None = None, **payload: object) -> Record:
    """A version believed from one day of November to another."""
    said = {
        "known_from": DAY.format(number), "known_to": known_to and DAY.format(known_to), "valid_from": None,
        "valid_to": None, "timestamp": None, "tags": [], "kind": None, "metadata": {}, **payload,
    }  # fmt: skip
    return Record(UUID(int=1), UUID(int=number), text, said)


def test_a_snippet_begins_near_the_first_word_found() -> None:
    text = "filler " * 200 + "needle " + "filler " * 200
    at = text.index("needle")
    pieces = snippet(text, [(at, at + 6)])
    assert ("needle", True) in pieces
    assert pieces[0][0].startswith("… ") and pieces[-1][0].endswith(" …")
    assert len("".join(piece for piece, _found in pieces)) < 440


@pytest.mark.parametrize("text", ["", "short", "x" * 5000, "a b" * 400, "日本語" * 400])
def test_a_snippet_is_never_longer_than_asked(text: str) -> None:
    whole = "".join(piece for piece, _found in snippet(text, longest=100))
    assert len(whole) <= 102 and whole.removesuffix(" …") in text


def test_words_side_by_side_are_one_mark() -> None:
    assert joined("discharge summaries, sent", [(0, 9), (10, 19), (21, 25)]) == [(0, 19), (21, 25)]


def test_a_difference_is_told_by_word() -> None:
    was, now = word_diff("by secure message, not by fax", "by secure message, never by fax")
    assert [text for text, only in was if only] == ["not"]
    assert [text for text, only in now if only] == ["never"]
    assert "".join(text for text, _only in now) == "by secure message, never by fax"


def test_the_clock_of_knowing_names_what_each_version_did() -> None:
    versions = [
        version(9, "b", tags=["x"]),
        version(5, "b", 7),
        version(3, "b", 5, tags=[]),
        version(1, "a", 3),
    ]
    said = [entry.title.split(": ")[1] for entry in known_entries(versions)]
    assert said == ["written", "text corrected", "details changed", "restored"]


def test_a_retraction_ends_the_clock_of_knowing() -> None:
    entries = known_entries([version(1, "a", 3)])
    assert [entry.when for entry in entries] == ["1 Nov 2026, 10:00", "3 Nov 2026, 10:00"]
    assert entries[-1].title.startswith("Retracted")


def test_the_clock_of_the_world_gives_the_dates_that_are_known() -> None:
    one = version(1, "Fax", valid_from="2025-02-01T00:00:00Z", valid_to="2026-11-02T00:00:00Z", timestamp=DAY.format(1))
    entries = world_entries(one, [one])
    assert [(entry.title, entry.when) for entry in entries] == [
        ("Fax", "1 Feb 2025 – 2 Nov 2026"),
        ("It happened", "1 Nov 2026, 10:00"),
    ]


def test_the_drawing_stays_within_its_frame() -> None:
    versions = [version(5, "c"), version(3, "b", 5), version(1, "a", 3)]
    drawn = lanes(world_entries(versions[0], versions), known_entries(versions), datetime(2026, 11, 30, tzinfo=UTC))
    assert drawn is not None
    assert all(bar.x >= 130 and bar.x + bar.width <= 920 for bar in (*drawn.world, *drawn.known))
    assert [tick.label for tick in drawn.ticks][-1] == "now"


def test_too_many_instants_are_not_drawn() -> None:
    versions = [version(n, str(n), n + 1) for n in range(20, 0, -1)]
    assert (
        lanes(world_entries(versions[0], versions), known_entries(versions), datetime(2026, 11, 30, tzinfo=UTC)) is None
    )


def test_small_words() -> None:
    assert [initials(name) for name in ("Northwind Health", "demo", "mira@acme.example", "")] == ["NH", "DE", "MA", ""]
    assert [signed(value) for value in (0.414, -1.2, 0)] == ["+0.41", "−1.20", "+0.00"]
    assert [ago(age) for age in (5, 725, 7300)] == ["just now", "12 min ago", "2 h ago"]
