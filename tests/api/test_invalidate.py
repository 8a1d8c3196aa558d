"""Retraction: hidden, not gone."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.answers import audited, problem, remember_lines
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def test_a_retracted_memory_is_hidden_from_recall_and_shows_when_asked_for(alice: Caller) -> None:
    (gone,), (kept,) = alice.remember("The key lies under the mat."), alice.remember("The key opens the door.")
    assert alice.post("invalidate", {"ids": [gone]}).json() == {"requested": 1, "invalidated": 1, "complete": True}
    assert alice.found("where is the key") == ["The key opens the door."]
    assert set(alice.found("key", include_invalidated=True)) == {
        "The key lies under the mat.",
        "The key opens the door.",
    }
    memory = alice.get(f"memories/{gone}").json()
    assert memory["invalidated_at"] and memory["known_to"]
    assert alice.get(f"memories/{kept}").json()["invalidated_at"] is None
    shown = alice.recall("under the mat", include_invalidated=True)["results"][0]
    assert shown["metadata"]["invalidated_at"] == memory["invalidated_at"]


def test_a_whole_source_is_retracted_and_no_other(alice: Caller) -> None:
    alice.remember("One.", "Two.", source="a")
    alice.remember("Three.", source="ab")
    assert alice.post("invalidate", {"source": "a"}).json() == {"requested": 2, "invalidated": 2, "complete": True}
    assert alice.found("one two three") == ["Three."]
    assert alice.post("invalidate", {"source": "a"}).json() == {"requested": 0, "invalidated": 0, "complete": True}


@pytest.mark.parametrize("by", ["ids", "source"])
def test_the_first_retraction_stands(alice: Caller, by: str) -> None:
    (gone,) = alice.remember("Once.", source="s")
    which = {"ids": [gone]} if by == "ids" else {"source": "s"}
    assert alice.post("invalidate", {**which, "invalidated_at": "2026-01-01"}).json()["invalidated"] == 1
    assert alice.post("invalidate", {**which, "invalidated_at": "2026-02-02"}).json()["invalidated"] == 0
    assert alice.get(f"memories/{gone}").json()["invalidated_at"] == "2026-01-01T00:00:00Z"


def test_valid_until_also_ends_the_validity(alice: Caller) -> None:
    (gone,) = alice.remember("Rome is home.")
    alice.post("invalidate", {"ids": [gone], "valid_until": "2024-01-01T00:00:00"})
    assert alice.get(f"memories/{gone}").json()["valid_to"] == "2024-01-01T00:00:00Z"
    assert alice.found("Rome", as_of="2023-12-31") == ["Rome is home."]
    assert alice.found("Rome", as_of="2024-01-01") == []


@pytest.mark.parametrize("end", ["2023-12-31T23:59:59Z", "2024-01-01"])
@pytest.mark.parametrize("by", ["ids", "source"])
def test_an_end_before_the_beginning_is_refused_and_changes_nothing(alice: Caller, by: str, end: str) -> None:
    (later,) = alice.remember("Rome is home.", source="s", metadata={"valid_from": "2024-01-01"})
    (other,) = alice.remember("Oslo was home.", source="s")
    which = {"ids": [other, later]} if by == "ids" else {"source": "s"}
    answer = problem(alice.post("invalidate", {**which, "valid_until": end}), 400, "rule_broken")
    assert later in answer["detail"] and "2024-01-01T00:00:00Z" in answer["detail"] and end[:10] in answer["detail"]
    assert set(alice.found("home")) == {"Rome is home.", "Oslo was home."}
    assert alice.get(f"memories/{other}").json()["invalidated_at"] is None
    assert [action for action, _ in audited(alice.tenant)].count("memory.invalidated") == 0
    assert alice.post("invalidate", {**which, "valid_until": "2024-01-02"}).json()["invalidated"] == 2


def test_an_end_is_not_compared_with_what_is_out_of_reach_or_retracted_already(alice: Caller, charlie: Caller) -> None:
    (theirs,) = charlie.remember("Theirs.", metadata={"valid_from": "2024-01-01"})
    (gone,) = alice.remember("Gone.", metadata={"valid_from": "2024-01-01"})
    alice.post("invalidate", {"ids": [gone]})
    answer = alice.post("invalidate", {"ids": [theirs, gone], "valid_until": "2020-01-01"})
    assert answer.json() == {"requested": 2, "invalidated": 0, "complete": True}


def test_as_of_ignores_a_retraction(alice: Caller) -> None:
    (gone,) = alice.remember("Rome is home.")
    alice.post("invalidate", {"ids": [gone]})
    assert alice.found("Rome") == []
    assert alice.found("Rome", as_of="2026-01-01") == ["Rome is home."]


def test_sending_the_content_again_restores_it(alice: Caller) -> None:
    (gone,) = alice.remember("Rome is home.", metadata={"a": 1}, tags=["t"])
    alice.post("invalidate", {"ids": [gone]})
    answer = alice.post("memories", {"items": [{"text": "Rome is home."}]}).json()
    assert (answer["stored"], answer["results"][0]["id"], answer["results"][0]["status"]) == (1, gone, "stored")
    assert alice.found("Rome") == ["Rome is home."]
    memory = alice.get(f"memories/{gone}").json()
    assert (memory["metadata"], memory["tags"], memory["invalidated_at"]) == ({"a": 1}, ["t"], None)
    assert alice.found("Rome", include_invalidated=True) == ["Rome is home."]
    assert alice.get("status").json()["tenant"]["memories"] == 1


def test_sending_the_content_again_also_undoes_the_end_that_a_retraction_set(alice: Caller) -> None:
    (gone,) = alice.remember("Rome is home.")
    alice.post("invalidate", {"ids": [gone], "valid_until": "2024-01-01"})
    alice.remember("Rome is home.")
    assert alice.found("Rome") == ["Rome is home."]
    assert alice.get(f"memories/{gone}").json()["valid_to"] is None


def test_ids_out_of_reach_are_passed_over_in_silence(alice: Caller, charlie: Caller) -> None:
    (mine,), (theirs,) = alice.remember("Mine."), charlie.remember("Theirs.")
    unknown = str(uuid4())
    answers = [alice.post("invalidate", {"ids": [other]}).json() for other in (theirs, unknown, 7, str(2**64 - 1))]
    assert answers == [{"requested": 1, "invalidated": 0, "complete": True}] * 4
    together = alice.post("invalidate", {"ids": [mine, mine.upper(), theirs, unknown]}).json()
    assert together == {"requested": 3, "invalidated": 1, "complete": True}
    assert charlie.found("theirs") == ["Theirs."]


def test_a_reader_may_not_retract(alice: Caller, bob: Caller) -> None:
    (stored,) = alice.remember("Mine.")
    answer = problem(bob.post("invalidate", {"ids": [stored]}), 403, "insufficient_scope")
    assert answer["detail"] == "key lacks 'write' scope"
    assert alice.found("mine") == ["Mine."]


def test_a_retraction_is_audited_once_and_without_text(alice: Caller) -> None:
    alice.remember("One secret.", "Two secrets.", source="s")
    alice.post("invalidate", {"source": "s"})
    alice.post("invalidate", {"source": "s"})
    alice.post("invalidate", {"ids": [str(uuid4())]})
    events = [detail for action, detail in audited(alice.tenant) if action == "memory.invalidated"]
    assert events == [{"count": 2, "source": True}]


def test_a_source_of_more_than_1000_memories_is_retracted_in_steps(alice: Caller, settings: Any) -> None:
    settings.EMBEDDER = "none"
    remember_lines(alice, [f"Line {n}" for n in range(1010)])
    first = alice.post("invalidate", {"source": "log"}).json()
    assert first == {"requested": 1000, "invalidated": 1000, "complete": False}
    assert alice.post("invalidate", {"source": "log"}).json() == {"requested": 10, "invalidated": 10, "complete": True}
    assert alice.found("line") == []
