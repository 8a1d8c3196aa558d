"""Real chats, end to end: store a conversation of many sessions, ask what was said in it."""

import os
from pathlib import Path
from statistics import fmean

import pytest

from tests.bench.conversations import SCORED, Conversation, load, share_found
from tests.cast import Caller

BATCH = 64
FLOOR = 0.65
"""Evidence recall@10 of the static embedder on this conversation was 0.70 when the test was written."""


@pytest.fixture
def conversation() -> Conversation:
    """The first conversation of the file that the environment names."""
    file = os.environ.get("LOCOMO_FILE")
    if not file:
        pytest.skip("not set: LOCOMO_FILE")
    return load(Path(file))[0]


def test_evidence_for_questions_about_a_real_chat_is_found(alice: Caller, conversation: Conversation) -> None:
    key_of: dict[str, str] = {}
    for start in range(0, len(conversation.turns), BATCH):
        turns = conversation.turns[start : start + BATCH]
        items = [
            {"text": turn.text, "source": turn.session, "offset": turn.at, "timestamp": turn.moment.isoformat()}
            for turn in turns
        ]
        answer = alice.post("memories", {"items": items}).json()
        assert answer["failed"] == 0
        key_of |= {result["id"]: turns[result["item"]].key for result in answer["results"]}
    shares = [
        share_found(question.gold, _keys(alice, question.text, key_of), 10)
        for question in conversation.questions
        if question.category in SCORED
    ]
    assert len(shares) > 100
    assert fmean(shares) >= FLOOR


def _keys(caller: Caller, question: str, key_of: dict[str, str]) -> list[str]:
    return [key_of[result["id"]] for result in caller.recall(question)["results"]]
