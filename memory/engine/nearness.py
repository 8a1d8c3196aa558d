"""How near an instant lies to the time that was asked for."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from memory.engine.dates import Window

SHORTEST: Final = timedelta(days=1)
"""Windows shorter than this, and those with an open end, fade over at least so much."""
OPEN: Final = timedelta(days=7)
OUTSIDE: Final = 0.75
"""At most this for what lies outside: a bare date is midnight, the very end of the day before."""
LAST: Final = 0.5
"""Where nothing but the time was asked for, what lies within falls to this, and nothing else reaches it."""


def nearness(windows: Sequence[Window], moment: datetime) -> float:
    """1 within a window; outside it from OUTSIDE to 0 at one window's length from it (at least a day; a week beside an
    open end)."""
    return max((_near(window, moment) for window in windows), default=0.0)


def _near(window: Window, moment: datetime) -> float:
    if window.holds(moment):
        return 1.0
    length = max(SHORTEST, window.end - window.start) if window.start and window.end else OPEN
    before = window.start is not None and moment < window.start
    edge = window.start if before else window.end
    gap = abs(moment - edge) if edge else timedelta()
    return OUTSIDE * max(0.0, 1.0 - gap / length)


def earliest_first(windows: Sequence[Window]) -> bool:
    """The order for a question about nothing but a time: as it happened; for "before …" back from there."""
    return windows[0].start is not None


def in_order(windows: Sequence[Window], moments: Mapping[UUID, datetime]) -> dict[UUID, float]:
    """A score for each that puts what lies within a window in the order of time, before all that lies outside."""
    inside = [version for version, moment in moments.items() if nearness(windows, moment) == 1.0]
    inside.sort(key=lambda version: (moments[version], version.int), reverse=not earliest_first(windows))
    step = (1 - LAST) / max(1, len(inside))
    scores = {version: LAST * nearness(windows, moment) for version, moment in moments.items()}
    return scores | {version: 1.0 - at * step for at, version in enumerate(inside)}
