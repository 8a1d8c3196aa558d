"""Why a memory did or did not come, by each reason there is."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from tests.api.answers import problem
from tests.api.embedders import Obedient
from tests.cast import Caller


def why(caller: Caller, memory: str, **asked: Any) -> dict[str, Any]:
    answer = caller.post("recall/why", {"query": "parrot", "memory_id": memory, **asked})
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def zoo(alice: Caller) -> dict[str, str]:
    texts = ["The parrot sings.", "The cat sleeps.", "A fish swims.", "The parrot of the harbour master is grey."]
    ids = alice.remember(*texts, namespace="zoo")
    return dict(zip(("parrot", "cat", "fish", "grey"), ids, strict=True))


def test_what_was_returned_says_its_place_and_what_each_arm_made_of_it(alice: Caller, zoo: dict[str, str]) -> None:
    found = why(alice, zoo["parrot"])
    assert (found["verdict"], found["rank"], found["indexed"]) == ("returned", 1, True)
    assert found["retrievers"]["bm25"]["rank"] == 1
    assert found["retrievers"]["bm25"]["margin"] is None
    assert found["parts"]


def test_what_stands_below_the_limit_says_by_how_much(alice: Caller, zoo: dict[str, str]) -> None:
    found = why(alice, zoo["fish"], limit=1)
    assert found["verdict"] == "below_limit"
    assert found["rank"] > 1
    assert found["margin"] > 0
    assert found["retrievers"]["vector"]["rank"] > 1


def test_what_the_budget_cut_off_says_so(alice: Caller, zoo: dict[str, str]) -> None:
    assert why(alice, zoo["grey"], token_budget=6)["verdict"] == "over_token_budget"
    assert why(alice, zoo["grey"], token_budget=6, detail=1)["verdict"] == "returned"


def test_what_no_arm_had_among_its_best_says_its_rank_further_down(alice: Caller) -> None:
    for start in (0, 60):
        alice.remember(*[f"The parrot number {n} sings." for n in range(start, start + 60)])
    (memory,) = alice.remember("An invoice for gravel.")
    found = why(alice, memory, mode="vector")
    assert found["verdict"] == "below_cut"
    assert found["retrievers"]["vector"]["taken"] == 50
    assert found["retrievers"]["vector"]["rank"] > 50
    assert found["retrievers"]["vector"]["margin"] > 0
    assert why(alice, memory, mode="natural")["retrievers"]["bm25"]["rank"] is None


def test_the_clauses_that_keep_it_out_are_named(alice: Caller, zoo: dict[str, str]) -> None:
    asked = {
        "namespaces": ["office"],
        "filters": {"source": "diary", "namespace": "zoo"},
        "since": "2026-01-01T00:00:00Z",
    }
    found = why(alice, zoo["parrot"], **asked, min_confidence=0.5, tier="facts", kinds=["bug"], tags=["a"])
    assert found["verdict"] == "filtered"
    assert found["filtered_by"] == ["filters.source", "namespaces", "tags", "kinds", "tier", "since"]


def test_time_is_named_too(alice: Caller, zoo: dict[str, str]) -> None:
    alice.post("invalidate", {"ids": [zoo["cat"]]})
    assert (why(alice, zoo["cat"])["verdict"], why(alice, zoo["cat"])["times"]) == ("other_time", ["retracted"])
    assert why(alice, zoo["cat"], include_invalidated=True)["verdict"] != "other_time"
    later = (datetime.now(UTC) + timedelta(days=9)).isoformat()
    (planned,) = alice.remember("The parrot moves out.", metadata={"valid_from": later})
    assert why(alice, planned)["times"] == ["not_yet_valid"]


def test_what_has_no_vector_yet_says_so(alice: Caller, embedder: type[Obedient]) -> None:
    embedder.fail()
    (memory,) = alice.remember("The parrot sings.")
    found = why(alice, memory)
    assert (found["verdict"], found["indexed"]) == ("returned", False)
    assert found["degraded"] == ["retriever:vector:failed"]


def test_another_tenants_memory_and_an_unknown_one_are_alike(alice: Caller, bob: Caller, charlie: Caller) -> None:
    (foreign,) = charlie.remember("The parrot sings.")
    answers = [alice.post("recall/why", {"query": "x", "memory_id": each}) for each in (foreign, str(uuid4()))]
    first, second = (problem(answer, 404, "not_found") for answer in answers)
    assert {**first, "request_id": ""} == {**second, "request_id": ""}


def test_an_agent_can_ask_too(alice: Caller, zoo: dict[str, str]) -> None:
    answer = alice.post("tools/memory_why", {"query": "parrot", "memory_id": zoo["fish"], "limit": 1, "tags": ["x"]})
    assert answer.json()["verdict"] == "filtered"
    assert answer.json()["filtered_by"] == ["tags"]
