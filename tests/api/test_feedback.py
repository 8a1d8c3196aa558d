"""Feedback, and the stages that go by what use has taught."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from memory.engine.tuning import Tuning
from memory.models import Access, Exposure, LearnedWeight
from memory.services import learning as service
from memory.services.learning import record_recall
from memory.stores.postgres import learning
from tenants.rls import tenant_rows
from tests.cast import Caller

ALL = {"access_bonus": True, "inhibition_of_return": True, "curiosity": True, "q_learning": True}


def give(caller: Caller, hit: str, signal: str = "useful", **more: Any) -> dict[str, Any]:
    answer = caller.post("feedback", {"hit_id": hit, "signal": signal, **more})
    assert answer.status_code == 200, answer.content
    told: dict[str, Any] = answer.json()
    return told


def parts(caller: Caller, query: str, **fields: Any) -> dict[str, dict[str, float]]:
    """Text → the parts of its score."""
    found = caller.recall(query, include_trace=True, **fields)["results"]
    return {hit["text"]: hit["explanation"]["parts"] for hit in found}


def rows(caller: Caller, model: Any) -> list[Any]:
    with tenant_rows(caller.tenant):
        return list(model.objects.filter(tenant_id=caller.tenant))


def test_feedback_is_answered_as_the_seed_answers(alice: Caller) -> None:
    (memory,) = alice.remember("Dana prefers tea.")
    told = give(alice, memory, query="what does Dana drink?", sources=["vector", "bm25"])
    assert told == {
        "ok": True, "hit_id": memory, "signal": "useful", "reward": 1.0, "query_type": "general",
        "ior_recorded": False, "q_learning_updates": 2,
    }  # fmt: skip
    told = give(alice, memory, "clicked", query="when?", query_type="event", source="vector", reward=0.25)
    assert (told["reward"], told["query_type"], told["ior_recorded"]) == (0.25, "temporal", True)
    assert give(alice, memory, "irrelevant")["q_learning_updates"] == 0


def test_a_hit_that_is_unknown_foreign_or_out_of_reach_is_not_there(alice: Caller, charlie: Caller) -> None:
    (foreign,) = charlie.remember("Globex knows this.")
    (elsewhere,) = alice.remember("Secret.", namespace="red")
    narrow = alice.with_key(namespaces=["blue"])
    for caller, hit in ((alice, foreign), (alice, str(uuid4())), (alice, "graph:Dana"), (narrow, elsewhere)):
        answer = caller.post("feedback", {"hit_id": hit, "signal": "useful", "sources": ["dense"]})
        assert answer.status_code == 404
        assert answer.json()["detail"] == "There is no such memory."
    assert rows(alice, LearnedWeight) == rows(charlie, LearnedWeight) == []


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"signal": "loved"}, "/signal"),
        ({"sources": ["vector", "oracle"]}, "/sources/1"),
        ({"reward": 1.5}, "/reward"),
        ({"hit_id": ""}, "/hit_id"),
        ({"rewrad": 1}, "/rewrad"),
    ],
)
def test_bad_feedback_is_named(alice: Caller, change: dict[str, Any], pointer: str) -> None:
    answer = alice.post("feedback", {"hit_id": str(uuid4()), "signal": "useful", **change})
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]


def test_a_reader_gives_no_feedback(bob: Caller) -> None:
    assert bob.post("feedback", {"hit_id": str(uuid4()), "signal": "useful"}).status_code == 403


def test_the_same_feedback_counts_once_however_often_it_is_sent(alice: Caller) -> None:
    (memory,) = alice.remember("Dana prefers tea.")
    body = {"hit_id": memory, "signal": "clicked", "query": "tea", "sources": ["dense"]}
    answers = [alice.post("feedback", body), alice.post("feedback", body)]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    give(alice.with_key(), memory, "clicked", query="tea", sources=["bm25", "vector"])
    give(alice, memory, "clicked", query="coffee", sources=["dense"])
    assert {row.arm: row.n for row in rows(alice, LearnedWeight)} == {"dense": 3, "lexical": 1}
    assert [row.count for row in rows(alice, Exposure)] == [3]
    reused = [alice.post("feedback", {**body, "query": query}, Idempotency_Key="k").status_code for query in "ab"]
    assert reused == [200, 422]


def test_what_was_learned_moves_results_and_shows_among_their_parts(alice: Caller) -> None:
    (words, _) = alice.remember("Zanzibar itinerary.", "Holiday plans for an island.")
    for number in range(30):
        give(alice, words, query=f"zanzibar {number}", sources=["lexical"])
        give(alice, words, "irrelevant", query=f"zanzibar {number}", sources=["dense"])
    assert "q_learning" not in parts(alice, "zanzibar")["Zanzibar itinerary."]
    learned = parts(alice, "zanzibar", stages={"q_learning": True})
    assert learned["Holiday plans for an island."]["q_learning"] < 0
    assert "q_learning" not in learned["Zanzibar itinerary."]  # both arms found it


def test_a_click_counts_as_a_showing_and_what_was_shown_often_gives_way(alice: Caller) -> None:
    (memory,) = alice.remember("Dana prefers tea.")
    give(alice, memory, "clicked", query="tea")
    switched = parts(alice, "tea", stages={"inhibition_of_return": True})
    assert switched["Dana prefers tea."]["inhibition_of_return"] == -0.1


def test_a_recall_is_remembered_only_where_it_is_asked_for(alice: Caller) -> None:
    alice.remember("Dana prefers tea.", "Eli prefers coffee.")
    alice.recall("tea")
    assert rows(alice, Access) == rows(alice, Exposure) == []
    alice.recall("tea", limit=1, record_access=True)
    alice.recall("tea", limit=1, record_access=True, record_exposures=True)
    assert [row.count for row in rows(alice, Access)] == [2]
    assert [row.count for row in rows(alice, Exposure)] == [1]
    told = parts(alice, "tea", stages=ALL, access_bonus=1.0)["Dana prefers tea."]
    assert told["access_bonus"] > 0 > told["inhibition_of_return"]
    assert "access_bonus" not in parts(alice, "tea", stages=ALL, access_bonus=0.0)["Dana prefers tea."]


def test_a_tenant_switches_recording_and_stages_for_everybody(alice: Caller, bob: Caller) -> None:
    alice.remember("Dana prefers tea.")
    chosen = {"record_access": True, "record_exposures": True, "access_bonus": 1.0, "stages": ALL}
    told = alice.with_key(["admin"]).call("PATCH", "settings", {"recall": chosen})
    assert (told.status_code, told.json()["recall"]["record_access"]) == (200, True)
    assert bob.recall("tea")["notes"] == []
    assert [row.count for row in rows(alice, Access)] == [1]
    assert bob.recall("tea", record_access=False)["notes"] == []
    assert [row.count for row in rows(alice, Access)] == [1]
    assert parts(bob, "tea")["Dana prefers tea."]["access_bonus"] > 0


def test_a_reader_is_not_recorded_and_is_told_so(alice: Caller, bob: Caller) -> None:
    alice.remember("Dana prefers tea.")
    found = bob.recall("tea", record_access=True, record_exposures=True)
    assert found["notes"] == ["record_access:needs_write", "record_exposures:needs_write"]
    assert rows(alice, Access) == rows(alice, Exposure) == []


def test_what_is_left_out_by_the_budget_is_not_counted(alice: Caller) -> None:
    alice.remember("Dana prefers tea.", "Tea is what Eli prefers too, and Frida, and all the others here.")
    alice.recall("Dana prefers tea", token_budget=6, record_access=True)
    assert len(rows(alice, Access)) == 1


def test_a_recording_that_fails_costs_nothing(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    alice.remember("Dana prefers tea.")

    def fail(cursor: Any, *rest: object) -> None:
        cursor.execute("/* test.fail */ SELECT 1 / 0")

    monkeypatch.setattr(service.learning, "count_use", fail)
    assert alice.found("tea", record_access=True) == ["Dana prefers tea."]


def test_signals_that_cannot_be_read_are_done_without(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    alice.remember("Dana prefers tea.")

    def fail(cursor: Any, *rest: object) -> None:
        cursor.execute("/* test.fail */ SELECT 1 / 0")

    monkeypatch.setattr(service.learning, "read", fail)
    found = alice.recall("tea", stages=ALL)
    assert ([hit["text"] for hit in found["results"]], found["degraded"]) == (["Dana prefers tea."], ["signals:failed"])


def test_erasure_leaves_nothing_of_what_use_taught_about_a_memory(alice: Caller) -> None:
    (memory,) = alice.remember("Dana prefers tea.")
    alice.recall("tea", record_access=True, record_exposures=True)
    assert rows(alice, Access) and rows(alice, Exposure)
    assert alice.call("DELETE", "memories", {"ids": [memory]}).json()["deleted"] == 1
    assert rows(alice, Access) == rows(alice, Exposure) == []


def test_showings_of_yesterday_count_no_longer_and_go(alice: Caller) -> None:
    _, other = alice.remember("Dana prefers tea.", "Eli prefers coffee.")
    alice.recall("Dana tea", limit=1, record_exposures=True)
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute("/* test.age */ UPDATE memory_exposure SET at = at - interval '26 hours'")
    told = parts(alice, "tea", stages={"inhibition_of_return": True})
    assert "inhibition_of_return" not in told["Dana prefers tea."]
    give(alice, other, "clicked")
    assert [str(row.memory_id) for row in rows(alice, Exposure)] == [other]


def test_q_decays_towards_the_middle_and_keeps_its_bounds(alice: Caller) -> None:
    with tenant_rows(alice.tenant) as cursor:
        for _ in range(200):
            learning.teach(cursor, alice.scope, ["dense"], "general", 1.0)
            learning.teach(cursor, alice.scope, ["lexical"], "general", 0.0)
        taught = learning.read(cursor, alice.scope, [], "general").arms
        assert (taught["dense"][1], taught["dense"][0] <= 0.95, taught["lexical"][0] >= 0.05) == (200, True, True)
        learning.teach(cursor, alice.scope, ["dense"], "general", taught["dense"][0])
        assert learning.read(cursor, alice.scope, [], "general").arms["dense"][0] < taught["dense"][0]


def test_feedback_stands_in_the_audit_trail_without_the_question(alice: Caller) -> None:
    (memory,) = alice.remember("Dana prefers tea.")
    give(alice, memory, query="a very private question", sources=["dense"])
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute("/* test.audit */ SELECT action, detail::text FROM tenants_auditevent ORDER BY id DESC LIMIT 1")
        action, detail = cursor.fetchone()
    assert action == "feedback.given" and memory in detail and "private" not in detail


@pytest.mark.committed
def test_many_workers_count_every_use_and_every_feedback(alice: Caller) -> None:
    memories = alice.remember(*(f"Dana prefers tea number {number}." for number in range(5)))
    scope, both = alice.scope, Tuning(record_access=True, record_exposures=True)

    def work(number: int) -> None:
        try:
            ids = memories if number % 2 else memories[::-1]
            record_recall(scope, ids, both)  # type: ignore[arg-type]
            give(alice, memories[0], query=f"question {number}", sources=["dense", "lexical"])
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(24)))
    assert [row.count for row in rows(alice, Access)] == [24] * 5
    assert [row.count for row in rows(alice, Exposure)] == [24] * 5
    assert [row.n for row in rows(alice, LearnedWeight)] == [24, 24]


def test_an_agent_gives_feedback_by_tool(alice: Caller) -> None:
    (memory,) = alice.remember("Dana prefers tea.")
    (hit,) = alice.post("tools/memory_search", {"query": "tea"}).json()["results"]
    told = alice.post(
        "tools/memory_feedback",
        {"hit_id": memory, "signal": "useful", "query": "tea", "sources": hit["retrievers"]},
    ).json()
    assert (told["ok"], told["q_learning_updates"]) == (True, len(hit["retrievers"]))
    seeds = alice.post("tools/mnemostack_feedback", {"hit_id": memory, "signal": "clicked", "source": "vector"}).json()
    assert (seeds["reward"], seeds["ior_recorded"]) == (0.6, True)
    assert alice.post("tools/memory_feedback", {"hit_id": "x", "signal": "useful"}).status_code == 404
