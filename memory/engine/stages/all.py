"""Every stage, in the order in which they are told of; the order does not change the result."""

from typing import Final

from memory.engine.stages.exact_token import ExactToken
from memory.engine.stages.freshness import Freshness
from memory.engine.stages.gravity import Gravity
from memory.engine.stages.stage import Stage

STAGES: Final[tuple[Stage, ...]] = (ExactToken(), Gravity(), Freshness())
