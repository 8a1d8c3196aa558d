"""Which time a question asks for."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.engine.dates import LANGUAGES, DateReading, Granularity, Order, Relation, Window, read_dates
from tests.unit.engine.date_cases import ENGLISH, FRENCH, GERMAN, NO_DATE, RUSSIAN, SPANISH

NOW = datetime(2025, 5, 14, 15, 30, tzinfo=UTC)
"""A Wednesday."""


def read(text: str, order: Order = "dmy") -> DateReading | None:
    return read_dates(text, now=NOW, zone=UTC, order=order)


def instant(text: str) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


def windows(text: str) -> tuple[Window, ...]:
    """`2025-05-07` is that day, `2025-05-07..` is open."""
    found = []
    for part in text.split():
        start, dots, end = part.partition("..")
        first = instant(start)
        found.append(Window(first, instant(end) if dots else first and first + timedelta(days=1)))
    return tuple(found)


def named(reading: DateReading | None) -> tuple[Window, ...]:
    return reading.windows if reading else ()


@pytest.mark.parametrize(("text", "expected", "relation"), ENGLISH + GERMAN + FRENCH + SPANISH + RUSSIAN)
def test_a_date_is_read(text: str, expected: str, relation: str) -> None:
    reading = read(text)
    assert reading is not None
    assert (reading.windows, reading.relation) == (windows(expected), Relation(relation))


@pytest.mark.parametrize("text", NO_DATE)
def test_what_is_no_date_is_not_read(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize("text", NO_DATE)
def test_what_is_no_date_is_not_read_in_any_single_language_it_is_written_in(text: str) -> None:
    assert read_dates(text, now=NOW, zone=UTC, languages=["en"]) is None


@pytest.mark.parametrize(
    "text", ["decision log", "what augments recall", "Marching band", "error 2022", "version 2019"]
)
def test_the_false_dates_of_the_earlier_system_are_none(text: str) -> None:
    """Its measured defects: December, August, March and whole years."""
    assert read(text) is None


def test_a_slash_date_is_a_day_and_not_a_year() -> None:
    reading = read("12/05/2025")
    assert reading is not None
    assert reading.granularity is Granularity.DAY


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("12/05/2025", "dmy", "2025-05-12"),
        ("12/05/2025", "mdy", "2025-12-05"),
        ("12/05/2025", "ymd", "2025-05-12"),
        ("12/25/2025", "dmy", "2025-12-25"),
        ("25/12/2025", "mdy", "2025-12-25"),
        ("12/05/25", "ymd", "2012-05-25"),
        ("12/05/25", "mdy", "2025-12-05"),
        ("12.05.2025", "mdy", "2025-05-12"),
        ("2025.05.12", "ymd", "2025-05-12"),
        ("since 5/7", "dmy", "2024-07-05.."),
        ("since 5/7", "mdy", "2025-05-07.."),
    ],
)
def test_the_order_of_a_tenant_decides_what_slashes_mean(text: str, order: Order, expected: str) -> None:
    assert named(read(text, order)) == windows(expected)


@pytest.mark.parametrize(
    ("text", "now", "zone", "expected"),
    [
        ("yesterday", "2025-05-14T22:30", "Europe/Berlin", "2025-05-13T22:00..2025-05-14T22:00"),
        ("yesterday", "2025-05-14T03:00", "America/New_York", "2025-05-12T04:00..2025-05-13T04:00"),
        ("today", "2025-05-14T20:00", "Asia/Kolkata", "2025-05-14T18:30..2025-05-15T18:30"),
        ("today", "2025-05-14T13:00", "Pacific/Auckland", "2025-05-14T12:00..2025-05-15T12:00"),
        ("on 30 March 2025", "2025-05-14T12:00", "Europe/Berlin", "2025-03-29T23:00..2025-03-30T22:00"),
        ("on 26 October 2025", "2025-12-14T12:00", "Europe/Berlin", "2025-10-25T22:00..2025-10-26T23:00"),
        ("yesterday", "2025-03-10T12:00", "America/New_York", "2025-03-09T05:00..2025-03-10T04:00"),
        ("last week", "2025-11-05T12:00", "America/New_York", "2025-10-27T04:00..2025-11-03T05:00"),
        ("2018-11-04", "2025-05-14T12:00", "America/Sao_Paulo", "2018-11-04T03:00..2018-11-05T02:00"),
        ("2024-11-03", "2025-05-14T12:00", "America/Havana", "2024-11-03T04:00..2024-11-04T05:00"),
        ("last March", "2025-05-14T12:00", "Europe/London", "2025-03-01..2025-03-31T23:00"),
        ("2025-05-07T09:00:00+02:00", "2025-05-14T12:00", "Asia/Tokyo", "2025-05-07T07:00..2025-05-07T07:00:01"),
        ("2025-05-07 09:00", "2025-05-14T12:00", "Asia/Tokyo", "2025-05-07..2025-05-07T00:01"),
    ],
)
def test_days_are_those_of_the_asker(text: str, now: str, zone: str, expected: str) -> None:
    at = instant(now)
    assert at is not None
    assert named(read_dates(text, now=at, zone=ZoneInfo(zone))) == windows(expected)


def test_a_day_that_a_zone_skipped_is_no_time_at_all() -> None:
    assert read_dates("2011-12-30", now=NOW, zone=ZoneInfo("Pacific/Apia")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("May 20", "2025-05-20"),
        ("May 22", "2024-05-22"),
        ("on Friday", "2025-05-09"),
        ("on Wednesday", "2025-05-14"),
        ("what will happen on Friday", "2025-05-16"),
        ("what is due in December", "2025-12-01..2026-01-01"),
        ("what happened in December", "2024-12-01..2025-01-01"),
        ("am Freitag, was wird besprochen", "2025-05-16"),
        ("29 February", "2024-02-29"),
    ],
)
def test_a_missing_year_or_week_is_the_latest_unless_the_future_is_spoken_of(text: str, expected: str) -> None:
    """The latest that has begun; a day at most a week ahead is the coming one."""
    assert named(read(text)) == windows(expected)


@pytest.mark.parametrize(
    ("text", "focused"),
    [
        ("what happened last Tuesday?", True),
        ("What did we say on May 7, 2024?", True),
        ("yesterday", True),
        ("notes from last week", True),
        ("Was war gestern?", True),
        ("что было на прошлой неделе?", True),
        ("¿qué pasó ayer?", True),
        ("que s'est-il passé mardi dernier ?", True),
        ("what did Alice cook last Tuesday?", False),
        ("invoice 4711 of yesterday", False),
        ("Rechnung von gestern", False),
    ],
)
def test_a_question_for_nothing_but_a_date_is_told(text: str, focused: bool) -> None:
    reading = read(text)
    assert reading is not None
    assert reading.focused is focused


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What did Bob pay on May 7, 2024 for lunch?", ["on May 7, 2024"]),
        ("Was hat Bob am 7. Mai bezahlt?", ["am 7. Mai"]),
        ("compare May 3 and May 9", ["May 3", "May 9"]),
        ("Tuesday's lunch", ["Tuesday"]),
        ("что сделал Боб 7 мая 2024 года утром", ["7 мая 2024 года"]),
        ("re\u0301sume\u0301 of 7 fe\u0301vrier 2024", ["7 fe\u0301vrier 2024"]),
    ],
)
def test_the_characters_of_a_date_are_told(text: str, said: list[str]) -> None:
    reading = read_dates(text, now=NOW, zone=UTC)
    assert reading is not None
    assert [text[start:end] for start, end in reading.spans] == said


@pytest.mark.parametrize(
    ("text", "granularity"),
    [
        ("yesterday evening", Granularity.HOUR),
        ("2025-05-07 14:30", Granularity.MINUTE),
        ("May 7", Granularity.DAY),
        ("last week", Granularity.WEEK),
        ("in March", Granularity.MONTH),
        ("Q3 2024", Granularity.QUARTER),
        ("in 2024", Granularity.YEAR),
        ("in the 1990s", Granularity.DECADE),
        ("from May 7 to June", Granularity.MONTH),
    ],
)
def test_the_coarsest_unit_is_told(text: str, granularity: Granularity) -> None:
    reading = read(text)
    assert reading is not None
    assert reading.granularity is granularity


@pytest.mark.parametrize("text", ["2025-13-45", "February 30", "9999-12-31", "0001-01-01", "31.11.2024", "2025-W54"])
def test_an_impossible_date_is_none(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
@pytest.mark.parametrize(
    "text", ["yesterday", "tomorrow", "last month", "next year", "May 7", "on Friday", "1200 months ago"]
)
@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_the_ends_of_time_raise_nothing(text: str, now: datetime, zone: str) -> None:
    read_dates(text, now=now, zone=ZoneInfo(zone))


def test_a_word_of_two_languages_needs_to_be_known_as_the_one() -> None:
    assert read_dates("hier", now=NOW, zone=UTC, languages=["de", "fr"]) is None
    assert named(read_dates("hier", now=NOW, zone=UTC, languages=["fr"])) == windows("2025-05-13")
    assert named(read("Qu'avons-nous décidé hier ?")) == windows("2025-05-13")


def test_languages_without_a_table_are_passed_over() -> None:
    assert named(read_dates("yesterday", now=NOW, zone=UTC, languages=["nl", "xx"])) == windows("2025-05-13")


PIECES = [case[0] for case in ENGLISH + GERMAN + FRENCH + SPANISH + RUSSIAN]
WORDS = sorted({word for text in [*PIECES, *NO_DATE] for word in text.split()})
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
    st.lists(st.sampled_from([*PIECES, ", ", " and ", "-", ".", "'s "]), max_size=5).map(" ".join),
    st.text(alphabet="0123456789-/.: TZWQ+May", max_size=40),
)
ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "America/Havana"]
)
MOMENTS = st.datetimes(timezones=st.just(UTC))


@given(TEXTS, MOMENTS, ZONES, st.sampled_from(["dmy", "mdy", "ymd"]), st.lists(st.sampled_from(LANGUAGES), max_size=3))
@settings(max_examples=600, deadline=None)
def test_no_text_and_no_moment_fails(text: str, now: datetime, zone: str, order: Order, languages: list[str]) -> None:
    reading = read_dates(text, now=now, zone=ZoneInfo(zone), order=order, languages=languages)
    if reading is None:
        return
    assert reading.windows and reading.spans
    assert all(0 <= start < end <= len(text) for start, end in reading.spans)
    assert all(one[1] <= two[0] for one, two in pairwise(reading.spans))
    for window in reading.windows:
        assert window.start is not None or window.end is not None
        assert window.start is None or window.end is None or window.start < window.end
    for one, two in pairwise(reading.windows):
        assert one.end is not None and two.start is not None and one.end < two.start


HOSTILE = [
    "day before " * 3000,
    "1-" * 16000,
    "1." * 16000,
    "2024-05-" * 4000,
    "last " * 6500,
    "may 7 " * 5500,
    "from May to " * 2700,
    "vor zwei " * 3600,
    "the " * 8000,
    "and " * 8000,
    "\u0301" * 32000,
    "e\u0301" * 16000,
    "1" * 32000,
    "(" * 32000,
    "май " * 8000,
    "a" * 32000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:8]))
def test_a_hostile_text_takes_bounded_work(text: str) -> None:
    """Half a second is ten times what the slowest takes."""
    read(text[:1000])
    began = time.process_time()
    read(text)
    assert time.process_time() - began < 0.5


def test_only_the_beginning_of_a_very_long_text_is_read() -> None:
    assert read("x " * 300 + "yesterday") is None
    assert read("yesterday " + "x " * 20000) is not None
