"""How near something lies to the time that was asked for."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memory.engine.dates import Window
from memory.engine.nearness import earliest_first, in_order, nearness

MAY = Window(datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC))
DAY = Window(datetime(2024, 5, 7, tzinfo=UTC), datetime(2024, 5, 8, tzinfo=UTC))
NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "moment", "near"),
    [
        (DAY, NOON, 1.0),
        (DAY, datetime(2024, 5, 7, tzinfo=UTC), 1.0),
        (DAY, datetime(2024, 5, 8, tzinfo=UTC), 0.75),
        (DAY, datetime(2024, 5, 8, 12, tzinfo=UTC), 0.375),
        (DAY, datetime(2024, 5, 6, 12, tzinfo=UTC), 0.375),
        (DAY, datetime(2024, 5, 9, 12, tzinfo=UTC), 0.0),
        (MAY, datetime(2024, 6, 1, tzinfo=UTC), 0.75),
        (MAY, datetime(2024, 6, 16, 12, tzinfo=UTC), 0.375),
        (Window(NOON, NOON + timedelta(minutes=1)), NOON - timedelta(hours=12), 0.375),
        (Window(None, NOON), datetime(1990, 1, 1, tzinfo=UTC), 1.0),
        (Window(None, NOON), NOON + timedelta(days=7), 0.0),
        (Window(NOON, None), NOON - timedelta(days=3.5), 0.375),
    ],
)
def test_nearness_falls_with_the_distance_in_windows(window: Window, moment: datetime, near: float) -> None:
    assert nearness([window], moment) == pytest.approx(near)


def test_the_nearest_of_several_windows_counts() -> None:
    assert nearness([MAY, Window(NOON + timedelta(days=100), None)], NOON) == 1.0
    assert nearness([], NOON) == 0.0


def test_the_order_of_time_puts_what_lies_outside_last() -> None:
    moments = {UUID(int=at): NOON + timedelta(hours=hours) for at, hours in enumerate((5, -5, 0, 13, 40))}
    scores = in_order([DAY], moments)
    assert sorted(scores, key=lambda version: -scores[version]) == [UUID(int=at) for at in (1, 2, 0, 3, 4)]
    assert scores[UUID(int=3)] < 0.5 < scores[UUID(int=0)]


def test_what_came_before_a_day_is_told_backwards() -> None:
    before = Window(None, DAY.start)
    assert earliest_first([DAY]) and not earliest_first([before])
    moments = {UUID(int=1): datetime(2024, 5, 1, tzinfo=UTC), UUID(int=2): datetime(2024, 5, 6, tzinfo=UTC)}
    scores = in_order([before], moments)
    assert scores[UUID(int=2)] > scores[UUID(int=1)]
