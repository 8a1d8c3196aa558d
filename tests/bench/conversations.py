"""LoCoMo (Maharana et al., 2024) as turns and questions with their gold turns. The file is the caller's own."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

TURN_ID = re.compile(r"D(\d+):(\d+)")
CUTS = (1, 5, 10, 25)
SCORED = (1, 2, 3, 4)
"""Categories with an answer: 1 multi-hop lists, 2 temporal, 3 open-domain, 4 single-hop; 5 has none."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance; `at` is its index in the session."""

    key: str
    session: str
    at: int
    text: str
    moment: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the keys of the turns that answer it."""

    text: str
    category: int
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All sessions of two people, and the questions about them."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]


def load(path: Path) -> list[Conversation]:
    """Every conversation of the file, in its order."""
    return [_conversation(f"conv-{number}", sample) for number, sample in enumerate(json.loads(path.read_text()))]


def _conversation(name: str, sample: Mapping[str, Any]) -> Conversation:
    turns = list(_turns(name, sample["conversation"]))
    known = {turn.key for turn in turns}
    questions = [Question(str(qa["question"]), qa["category"], gold_of(qa, known)) for qa in sample["qa"]]
    return Conversation(name, turns, [question for question in questions if question.gold])


def _turns(name: str, conversation: Mapping[str, Any]) -> Iterator[Turn]:
    for field, said in conversation.items():
        if not (field.startswith("session_") and isinstance(said, list)):
            continue
        moment = parse_date(conversation[f"{field}_date_time"])
        for at, turn in enumerate(said):
            yield Turn(turn["dia_id"], f"{name}/{field}", at, turn_text(turn), moment)


def turn_text(turn: Mapping[str, Any]) -> str:
    """What is stored of a turn."""
    photo = f" [shared a photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{photo}"


def parse_date(text: str) -> datetime:
    """LoCoMo's own form, such as "1:56 pm on 8 May, 2023"; taken as UTC."""
    return datetime.strptime(text.strip().upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)


def gold_of(qa: Mapping[str, Any], known: set[str]) -> tuple[str, ...]:
    """The gold turns that exist; some evidence strings hold several ids, some none."""
    named = (f"D{session}:{turn}" for text in qa.get("evidence") or [] for session, turn in TURN_ID.findall(text))
    return tuple(dict.fromkeys(key for key in named if key in known))


def share_found(gold: Sequence[str], ranked: Sequence[str], cut: int) -> float:
    """The share of `gold` among the first `cut` of `ranked`."""
    first = set(ranked[:cut])
    return sum(key in first for key in gold) / len(gold)
