"""Retrievers and token counters of the operator's own."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.checks import run_checks

from memory.engine.plugins import Found
from tests.api import plugins
from tests.api.answers import problem
from tests.cast import Caller

TEA = "The tea is in the blue tin."


@pytest.fixture
def shelf(settings: Any) -> Iterator[dict[str, Any]]:
    settings.RETRIEVERS = ["tests.api.plugins.Shelf"]
    plugins.ANSWERS.clear()
    yield plugins.ANSWERS
    plugins.ANSWERS.clear()


def test_a_retriever_of_ones_own_joins_the_fusion_under_its_name(alice: Caller, shelf: dict[str, Any]) -> None:
    tea, far = alice.remember(TEA, "Gravel costs nine a ton.")
    shelf["where is the tea?"] = [UUID(far)]
    answer = alice.recall("where is the tea?", include_trace=True)
    assert answer["trace"]["weights"]["shelf"] == 0.5
    (hit,) = (hit for hit in answer["results"] if hit["id"] == far)
    assert hit["retrievers"][-1] == "shelf"
    assert hit["explanation"]["parts"]["shelf"] > 0
    first = alice.recall("where is the tea?", weights={"shelf": 10})["results"][0]
    assert first["id"] == far != tea


def test_what_cannot_be_proven_to_be_in_view_is_dropped(alice: Caller, charlie: Caller, shelf: dict[str, Any]) -> None:
    foreign, retracted = charlie.remember("Tea of another house.")[0], alice.remember("Old tea.")[0]
    elsewhere, own = alice.remember("Tea elsewhere.", namespace="attic")[0], alice.remember(TEA)[0]
    alice.post("invalidate", {"ids": [retracted]})
    shelf["tea"] = [UUID(one) for one in (foreign, retracted, elsewhere, own)] + [uuid4()]
    answer = alice.recall("tea", filters={"namespace": "default"}, include_trace=True)
    assert [hit["id"] for hit in answer["results"]] == [own]
    (arm,) = (arm for arm in answer["trace"]["retrievers"] if arm["name"] == "shelf")
    assert [memory for memory, _ in arm["ranked"]] == [own]


def test_one_that_fails_is_named_and_costs_nothing_else(alice: Caller, shelf: dict[str, Any]) -> None:
    alice.remember(TEA)
    answer = alice.recall("an unforeseen question about tea")
    assert answer["degraded"] == ["retriever:shelf:failed"]
    assert answer["results"][0]["text"] == TEA


def test_its_weight_goes_by_its_name_and_other_names_are_refused(alice: Caller, shelf: dict[str, Any]) -> None:
    shelf["tea"] = []
    assert alice.post("recall", {"query": "tea", "weights": {"shelf": 0}}).status_code == 200
    refused = problem(alice.post("recall", {"query": "tea", "weights": {"attic": 1}}), 422, "invalid_request")
    assert "choose from dense" in refused["detail"][0]["msg"] and "shelf" in refused["detail"][0]["msg"]


def test_a_counter_of_ones_own_decides_what_fits_the_budget(alice: Caller, settings: Any) -> None:
    alice.remember(TEA)
    settings.TOKEN_COUNTER = "tests.api.plugins.by_letters"
    assert alice.recall("tea")["tokens_estimate"] == len(TEA)
    assert alice.recall("tea", token_budget=len(TEA) - 1)["notes"] == ["token_budget:too_small"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("RETRIEVERS", ["tests.api.plugins.Nobody"], "tests.api.plugins.Nobody cannot be imported"),
        ("RETRIEVERS", ["tests.api.plugins.Nameless"], "has no name or no find()"),
        ("RETRIEVERS", ["tests.api.plugins.Usurper"], "'dense', which is no name or taken"),
        ("TOKEN_COUNTER", "tests.api.plugins.by_fiat", "gives no whole number"),
        ("TOKEN_COUNTER", "nowhere", "nowhere cannot be imported"),
    ],
)
def test_a_plug_in_that_is_none_is_named_before_anything_starts(
    settings: Any, name: str, value: Any, words: str
) -> None:
    setattr(settings, name, value)
    assert [words in str(fault.msg) for fault in run_checks() if str(fault.id).startswith("memory.")] == [True]


def test_a_score_that_is_no_number_is_no_hit(
    alice: Caller, shelf: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tea,) = alice.remember(TEA)
    monkeypatch.setattr(
        plugins.Shelf, "find", lambda self, question: [Found(UUID(tea), float("nan")), Found(UUID(tea), float("inf"))]
    )
    answer = alice.recall("tea", include_trace=True)
    assert (answer["degraded"], answer["results"][0]["retrievers"]) == ([], ["vector", "bm25"])
