"""How much each arm counts: by what it found, by the shape of the query, by what was set."""

from collections.abc import Sequence
from typing import Final

from memory.engine.shape import ADAPTED, Shape
from memory.engine.tuning import Tuning

FULL_STRENGTH: Final = 0.7
"""Share of the query's information that the best lexical hit must match for the lexical arm to count in full; below,
its weight falls in proportion: a question in other words than its answer must not be decided by a chance word."""

DATED: Final = 0.5
"""What the temporal arm counts where the query names a time."""
IMAGINED: Final = 0.5
"""What an arm counts that goes by what a language model made of the question."""
ONLY_DATED: Final = 0.001
"""What the others count where it names nothing else: they order what the time leaves equal."""


def arm_weights(
    tuning: Tuning,
    shape: Shape,
    *,
    strength: float,
    dated: bool = False,
    focused: bool = False,
    extra: Sequence[str] = (),
) -> dict[str, float]:
    """Each arm's weight, 0 or more. `strength`: share of the query's information that the best lexical hit matches;
    `dated`: the query names a time, `focused`: and nothing else; `extra`: arms that go by what a language model made of
    the question.

    A weight that is set wins over one that adapts.
    """
    others = ONLY_DATED if focused else 1.0
    own = {"dense": others, "lexical": others * min(1.0, strength / FULL_STRENGTH)}
    own |= dict.fromkeys(extra, others * IMAGINED)
    if dated:
        own["temporal"] = DATED
    adapted = ADAPTED[shape] if tuning.adaptive else {}
    return {arm: max(0.0, weight * tuning.weights.get(arm, adapted.get(arm, 1.0))) for arm, weight in own.items()}
