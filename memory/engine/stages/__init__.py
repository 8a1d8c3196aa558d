"""Stages: after fusion, each may nudge the odds of what was found; relevance decides, everything else nudges.

A nudge is added to the log-odds of a result and bounded, so that no stage turns an irrelevant memory into a good one,
and what it did stands among the parts of the hit under the stage's name.
"""

from collections.abc import Mapping, Sequence

from memory.engine.fusion import ordered
from memory.engine.stages.all import STAGES
from memory.engine.stages.stage import MOST, Asked, Candidate, Stage
from memory.engine.types import Fused

__all__ = ["MOST", "STAGES", "Asked", "Candidate", "Stage", "apply", "switched_on"]


def switched_on(switches: Mapping[str, bool], asked: Asked) -> list[Stage]:
    """The stages that run: those on by default, but for what `switches` says, that have something to do."""
    return [stage for stage in STAGES if switches.get(stage.name, stage.default) and stage.applies(asked)]


def apply(stages: Sequence[Stage], asked: Asked, candidates: Sequence[Candidate]) -> list[Fused]:
    """The candidates' hits in their new order, each stage's nudge among their parts."""
    for stage in stages:
        for candidate, nudge in zip(candidates, stage.nudges(asked, candidates), strict=True):
            if nudge:
                candidate.hit.parts[stage.name] = max(-MOST, min(MOST, nudge))
    return ordered([candidate.hit for candidate in candidates])
