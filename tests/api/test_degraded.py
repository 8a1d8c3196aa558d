"""A part of a recall that fails or is late costs quality, not the answer; and the answer says so."""

import time
from typing import Any

import pytest
from django.db import OperationalError

from tests.api.answers import problem
from tests.api.embedders import Obedient
from tests.api.statements import broken, slow
from tests.cast import Caller


@pytest.fixture
def zoo(alice: Caller, embedder: type[Obedient]) -> Caller:
    alice.remember("The parrot sings.", "The cat sleeps.", "A fish swims.", source="zoo")
    return alice


@pytest.mark.usefixtures("no_errors_logged")
def test_a_failing_embedder_leaves_the_words(zoo: Caller, embedder: type[Obedient]) -> None:
    embedder.fail()
    found = zoo.recall("parrot")
    assert [hit["text"] for hit in found["results"]] == ["The parrot sings.", "The cat sleeps.", "A fish swims."][
        : len(found["results"])
    ]
    assert found["results"][0]["retrievers"] == ["bm25"]
    assert (found["degraded"], found["notes"]) == (["retriever:vector:failed"], [])


@pytest.mark.usefixtures("no_errors_logged")
def test_a_hanging_embedder_leaves_the_words_and_time_for_them(
    zoo: Caller, embedder: type[Obedient], settings: Any
) -> None:
    settings.RECALL_DEADLINE = 1.0
    event = embedder.hang()
    began = time.monotonic()
    found = zoo.recall("parrot", include_trace=True)
    assert time.monotonic() - began < 2
    event.set()
    assert found["results"][0]["text"] == "The parrot sings."
    assert found["degraded"] == ["retriever:vector:timeout"]
    assert found["trace"]["degraded"] == found["degraded"]


@pytest.mark.usefixtures("no_errors_logged")
@pytest.mark.parametrize(
    ("statement", "degraded", "arms"),
    [
        ("dense.search", "retriever:vector:timeout", ["bm25"]),
        ("lexical.search", "retriever:bm25:timeout", ["vector"]),
        ("pool.neighbours", "pool:timeout", ["vector", "bm25"]),
    ],
)
def test_a_statement_that_runs_out_of_time_is_left_out(
    zoo: Caller, statement: str, degraded: str, arms: list[str]
) -> None:
    with slow(statement) as hit:
        found = zoo.recall("parrot", filters={"colour": {"exists": False}})
    assert hit == [statement]
    assert found["degraded"] == [degraded]
    assert found["notes"] == ["filter:unknown_key:colour"]
    assert found["results"][0]["text"] == "The parrot sings."
    assert found["results"][0]["retrievers"] == arms


def test_both_arms_out_of_time_is_an_empty_answer_that_says_so(zoo: Caller) -> None:
    with slow("dense.search", "lexical.search"):
        found = zoo.recall("parrot")
    assert found["results"] == []
    assert found["degraded"] == ["retriever:vector:timeout", "retriever:bm25:timeout"]


def test_an_arm_that_fails_otherwise_is_left_out_too(zoo: Caller) -> None:
    with broken(OperationalError("odd"), "dense.search"):
        found = zoo.recall("parrot")
    assert (found["degraded"], found["results"][0]["text"]) == (["retriever:vector:failed"], "The parrot sings.")


def test_a_database_that_is_away_is_503_and_says_when_to_come_back(zoo: Caller) -> None:
    with broken(OperationalError("server closed the connection unexpectedly")):
        recalled = zoo.post("recall", {"query": "parrot"})
        written = zoo.post("memories", {"items": [{"text": "x"}]})
    for answer in (recalled, written):
        assert "closed the connection" not in str(problem(answer, 503, "unavailable"))
        assert answer["Retry-After"]


def test_an_unexpected_fault_shows_nothing_of_itself(zoo: Caller) -> None:
    with broken(RuntimeError("secret detail"), "records.latest"):
        answer = zoo.get("memories/00000000-0000-4000-8000-000000000000")
    document = problem(answer, 500, "internal_error")
    assert "secret detail" not in str(document)
