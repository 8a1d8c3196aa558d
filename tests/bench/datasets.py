"""What a tenant of the benchmark holds and is asked: LoCoMo's conversations and the mixed whole of one's own sets."""

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench import sets
from tests.bench.conversations import Conversation, load

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""When the questions are asked that name no moment."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory; `position` is its place in `source`, validity is half-open with open ends None."""

    text: str
    source: str
    position: int
    event_at: datetime | None
    tags: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def metadata(self) -> dict[str, str]:
        """Its validity, as the API takes it."""
        given = {"valid_from": self.valid_from, "valid_until": self.valid_to}
        return {name: moment.isoformat() for name, moment in given.items() if moment}

    def holds(self, moment: datetime) -> bool:
        """Whether it is valid in the world at `moment`."""
        begun = self.valid_from is None or self.valid_from <= moment
        return begun and (self.valid_to is None or moment < self.valid_to)

    def item(self) -> dict[str, Any]:
        """What POST /memories takes."""
        given = {"text": self.text, "source": self.source, "offset": self.position, "tags": list(self.tags)}
        when = {"timestamp": self.event_at.isoformat()} if self.event_at else {}
        return given | when | ({"metadata": self.metadata} if self.metadata else {})


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
        found += [of_conversation(each) for each in load(Path(file))]
    return found


def thinned(data: Dataset, questions: int = 4, others: int = 150) -> Dataset:
    """Some questions of each category and language with their memories among a few others: to see that all works."""
    count: dict[tuple[str, str], int] = defaultdict(int)
    asked = []
    for each in data.questions:
        count[each.category, each.language] += 1
        if count[each.category, each.language] <= questions:
            asked.append(each)
    needed = {at for each in asked for at in (*each.gold, *([] if each.below is None else [each.below]))}
    kept = sorted(needed | set(range(min(others, len(data.memories)))))
    number = {at: new for new, at in enumerate(kept)}
    moved = [
        replace(
            each,
            gold=tuple(number[at] for at in each.gold),
            below=None if each.below is None else number[each.below],
        )
        for each in asked
    ]
    return Dataset(data.name, [data.memories[at] for at in kept], moved)


def mixed(seed: int = sets.FROZEN) -> Dataset:
    """The sets of one's own as one tenant; the categories are their names."""
    drawn = sets.build(seed)
    number = {id(memory): at for at, memory in enumerate(drawn.memories)}
    memories = [
        Memory(each.text, each.source, each.at, each.moment, each.tags, each.valid_from, each.valid_to)
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


def of_conversation(conversation: Conversation) -> Dataset:
    """A conversation as one tenant: each turn a memory, each session a source."""
    number = {turn.key: at for at, turn in enumerate(conversation.turns)}
    memories = [Memory(turn.text, turn.session, turn.at, turn.moment) for turn in conversation.turns]
    questions = [
        Question(each.text, f"locomo {each.category}", "en", tuple(number[key] for key in each.gold))
        for each in conversation.questions
    ]
    return Dataset(conversation.name, memories, questions)
