"""The answer of a recall."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memory.engine.types import Record


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands `distance` places after (+) or before (-) a result in its source."""

    distance: int
    record: Record


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: `arms` are the arms that found it, with their rank from 1; `parts` add up to its place.

    `beside`: its neighbours, in their order, if they were asked for.
    """

    record: Record
    score: float
    arms: Mapping[str, int]
    parts: Mapping[str, float]
    raw: Mapping[str, float]
    beside: Sequence[Beside] = ()

    @property
    def version(self) -> UUID:
        """Its version's id."""
        return self.record.version


@dataclass(slots=True)
class Recalled:
    """The answer: hits best first. `degraded` names what fell back, `notes` what merely did not apply."""

    hits: list[Hit] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tokens_estimate: int = 0
    trace: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
