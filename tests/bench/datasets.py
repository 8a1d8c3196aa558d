"""What a tenant of the benchmark holds and is asked: LoCoMo's conversations and the mixed whole of one's own sets."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench import sets
from tests.bench.conversations import load

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""When the questions are asked that name no moment."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory: `position` is its place in `source`, `metadata` what a filter would see."""

    text: str
    source: str
    position: int
    event_at: datetime | None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    def holds(self, moment: datetime) -> bool:
        """Whether it is valid in the world at `moment`."""
        begun = self.valid_from is None or self.valid_from <= moment
        return begun and (self.valid_to is None or moment < self.valid_to)


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `gold` and `below` (which must stand lower) are numbers of memories."""

    text: str
    category: str
    language: str
    gold: tuple[int, ...]
    below: int | None = None
    as_of: datetime | None = None
    now: datetime = NOW


@dataclass(frozen=True, slots=True)
class Dataset:
    """What one tenant holds and is asked."""

    name: str
    memories: Sequence[Memory]
    questions: Sequence[Question]


def datasets(*, seed: int = sets.FROZEN, locomo: bool = True) -> list[Dataset]:
    """The mixed whole of one's own sets, and each conversation of LOCOMO_FILE if that is set."""
    found = [mixed(seed)]
    if locomo and (file := os.environ.get("LOCOMO_FILE")):
        found += [_conversation(each) for each in load(Path(file))]
    return found


def mixed(seed: int = sets.FROZEN) -> Dataset:
    """The sets of one's own as one tenant; the categories are their names."""
    drawn = sets.build(seed)
    number = {id(memory): at for at, memory in enumerate(drawn.memories)}
    memories = [
        Memory(each.text, each.source, each.at, each.moment, {"tags": each.tags}, each.valid_from, each.valid_to)
        for each in drawn.memories
    ]
    questions = [
        Question(
            each.text,
            each.set,
            each.language,
            (number[id(each.gold)],),
            number[id(each.below)] if each.below else None,
            each.as_of,
        )
        for each in drawn.questions
    ]
    return Dataset("mixed", memories, questions)


def _conversation(conversation: Any) -> Dataset:
    number = {turn.key: at for at, turn in enumerate(conversation.turns)}
    memories = [Memory(turn.text, turn.session, turn.at, turn.moment) for turn in conversation.turns]
    questions = [
        Question(each.text, f"locomo {each.category}", "en", tuple(number[key] for key in each.gold))
        for each in conversation.questions
    ]
    return Dataset(conversation.name, memories, questions)
