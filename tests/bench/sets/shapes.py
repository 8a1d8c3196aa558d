"""What a drawn set consists of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


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
