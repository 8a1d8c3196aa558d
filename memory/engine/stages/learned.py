"""What use has taught: stages that look at figures about a memory instead of at its text. All are off by default.

The service that reads those figures puts them among a candidate's signals: what is missing counts as nothing known,
and then such a stage does nothing.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from memory.engine.stages.moment import days_since, moment
from memory.engine.stages.stage import Asked, Candidate, Stage

COUNT, IDLE, SHOWN, LEANING = "access_count", "access_idle_days", "exposures", "leaning"
"""Signals: how often a memory was used, days since the last time, how often it was shown within a day, and how much
better than the others the arms are said to be that found it (-1 to 1)."""
MOST_USES: Final = 10
USE_HALF_LIFE: Final = 30.0
TIRED, MOST_TIRED = 0.1, 0.5
RIPE_DAYS: Final = 7.0
LIFT, HALF_LIFT = 0.25, 0.125
SEEN_ENOUGH: Final = 2
LEAN: Final = 1.0
DOUBT: Final = 4.0
"""Feedbacks after which half of what they said of an arm is believed."""
UNDECIDED: Final = 0.5


class AccessBonus:
    """Multiplies the odds of what was used before: by at most 1 + the ceiling, for ten uses of which the last is now;
    the bonus halves every 30 days without use."""

    name = "access_bonus"
    default = False

    def applies(self, asked: Asked) -> bool:
        """Unless the ceiling is 0."""
        return asked.access_bonus > 0

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """0 to ln(1 + ceiling) each."""
        return [math.log1p(min(1.0, asked.access_bonus) * _used(candidate.signals)) for candidate in candidates]


def _used(signals: Mapping[str, float]) -> float:
    count = min(float(MOST_USES), signals.get(COUNT, 0.0))
    familiar = count / (count + 3) * (MOST_USES + 3) / MOST_USES
    return float(familiar * 2.0 ** -(max(0.0, signals.get(IDLE, 0.0)) / USE_HALF_LIFE))


class InhibitionOfReturn:
    """Sinks what was shown often within the last 24 hours, so that others get their turn."""

    name = "inhibition_of_return"
    default = False

    def applies(self, asked: Asked) -> bool:
        """Always."""
        return True

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """-0.1 for each time, at most -0.5."""
        return [-min(MOST_TIRED, TIRED * candidate.signals.get(SHOWN, 0.0)) for candidate in candidates]


class Curiosity:
    """Lifts what is a week old or older in the world and was hardly shown of late; half as much what has no time."""

    name = "curiosity"
    default = False

    def applies(self, asked: Asked) -> bool:
        """Always."""
        return True

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """0, 0.125 or 0.25."""
        return [_curious(asked, candidate) for candidate in candidates]


def _curious(asked: Asked, candidate: Candidate) -> float:
    if candidate.signals.get(SHOWN, 0.0) > SEEN_ENOUGH:
        return 0.0
    if not candidate.record.payload["timestamp"]:
        return HALF_LIFT
    return LIFT if days_since(asked, moment(candidate)) >= RIPE_DAYS else 0.0


class QLearning:
    """Leans towards what the arms found that feedback has praised for queries of this shape."""

    name = "q_learning"
    default = False

    def applies(self, asked: Asked) -> bool:
        """Always."""
        return True

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """-0.9 to 0.9; 0 while no arm was told apart from the others."""
        return [LEAN * candidate.signals.get(LEANING, 0.0) for candidate in candidates]


LEARNED: Final = (AccessBonus.name, InhibitionOfReturn.name, Curiosity.name, QLearning.name)


def needs_signals(stages: Iterable[Stage]) -> bool:
    """Whether one of `stages` goes by what use has taught."""
    return any(stage.name in LEARNED for stage in stages)


def leaning(found_by: Iterable[str], taking_part: Iterable[str], taught: Mapping[str, tuple[float, int]]) -> float:
    """How much better the arms that found something are said to be than all that took part: -1 to 1.

    `taught`: arm → (q in [0, 1], number of feedbacks). Only the difference counts: praise for every arm alike, and
    arms that nobody has judged yet, move nothing. What no arm found leans nowhere.
    """
    finders = list(found_by)
    everybody = list(taking_part)
    if not finders or not everybody:
        return 0.0
    return _mean(finders, taught) - _mean(everybody, taught)


def _mean(arms: Sequence[str], taught: Mapping[str, tuple[float, int]]) -> float:
    return sum(_believed(*taught.get(arm, (UNDECIDED, 0))) for arm in arms) / len(arms)


def _believed(q: float, times: int) -> float:
    return UNDECIDED + (q - UNDECIDED) * times / (times + DOUBT)
