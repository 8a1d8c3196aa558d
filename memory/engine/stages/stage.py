"""What a stage is: a bounded nudge to the odds of a result, switched by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final, Protocol

from memory.engine.shape import Shape
from memory.engine.types import Fused, Record

MOST: Final = 1.5
"""No stage moves a result's log-odds by more than this, up or down; relevance spans about ten times as much."""
_NO_SIGNALS: Final[Mapping[str, float]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Asked:
    """The query, as stages look at it.

    `terms`: its terms that are known, each with its inverse document frequency; `information`: the sum over all its
    terms, known or not. `now` is an aware instant; `access_bonus` lies in [0, 1].
    """

    text: str
    terms: Mapping[str, float]
    information: float
    shape: Shape
    identifiers: Sequence[str]
    now: datetime
    half_life: float = 14.0
    access_bonus: float = 0.25


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit with its record; `signals` are learned figures about its memory, by name (a stage says which)."""

    hit: Fused
    record: Record
    signals: Mapping[str, float] = field(default_factory=lambda: _NO_SIGNALS)


class Stage(Protocol):
    """A pure function of the query and the candidates."""

    name: str
    """The name by which requests and tenants switch it."""
    default: bool
    """On only where the ablation (docs/recall.md) shows that it does not lose."""

    def applies(self, asked: Asked) -> bool:
        """Whether there is anything to do for this query; where no stage has, no candidates are read."""

    def nudges(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]:
        """What is added to each candidate's log-odds; `apply` bounds it to ±MOST."""
