"""Every stage, in the order in which they are told of; the order does not change the result."""

from typing import Final

from memory.engine.stages.exact_token import ExactToken
from memory.engine.stages.freshness import Freshness
from memory.engine.stages.gravity import Gravity
from memory.engine.stages.learned import AccessBonus, Curiosity, InhibitionOfReturn, QLearning
from memory.engine.stages.newest import Newest
from memory.engine.stages.source import Source
from memory.engine.stages.speaker import Speaker
from memory.engine.stages.stage import Stage
from memory.engine.stages.substance import Question, Substance

STAGES: Final[tuple[Stage, ...]] = (
    ExactToken(), Speaker(), Source(), Substance(), Question(), Newest(), Gravity(), Freshness(),
    AccessBonus(), InhibitionOfReturn(), Curiosity(), QLearning(),
)  # fmt: skip
