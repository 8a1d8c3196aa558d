"""What a drawn set consists of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(slots=True)
class Memory:
    """One memory; `key` is given last, when the order is drawn."""

    text: str
    kind: str
    language: str = "en"
    moment: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    source: str = ""
    at: int = 0
    tags: tuple[str, ...] = ()
    key: str = ""

    def item(self) -> dict[str, Any]:
        """What POST /memories takes."""
        validity = {"valid_from": self.valid_from, "valid_until": self.valid_to}
        metadata = {name: moment.isoformat() for name, moment in validity.items() if moment}
        return {
            "text": self.text,
            "source": self.source,
            "offset": self.at,
            "tags": list(self.tags),
            "metadata": metadata,
            **({"timestamp": self.moment.isoformat()} if self.moment else {}),
        }

    def holds(self, moment: datetime) -> bool:
        """Whether it is valid in the world at `moment`."""
        begun = self.valid_from is None or self.valid_from <= moment
        return begun and (self.valid_to is None or moment < self.valid_to)


@dataclass(slots=True)
class Question:
    """A question of one of the sets, the memory that answers it, and perhaps one that must stand below that."""

    text: str
    set: str
    language: str
    gold: Memory
    below: Memory | None = None
    as_of: datetime | None = None


@dataclass(slots=True)
class Mixed:
    """All memories of one tenant, in the order they are stored, and all questions."""

    seed: int
    memories: Sequence[Memory]
    questions: Sequence[Question]
