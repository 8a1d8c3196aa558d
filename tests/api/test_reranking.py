"""Reranking of recalls, by a scripted language model and a scripted service: another order, and never fewer results."""

from collections.abc import Iterator
from typing import Any

import pytest

from memory.services.reranking import ORDERS
from memory.stores.llm import forget_language_models
from memory.stores.rerankers import forget_rerankers
from tests.cast import Caller
from tests.servers.chat import answers, prompt_of, replies_json
from tests.servers.scripted import ScriptedServer, hang, says, status

TEXTS = [f"Tea number {n} is in the kitchen." for n in range(1, 6)]


@pytest.fixture
def server(settings: Any) -> Iterator[ScriptedServer]:
    """The operator's language model and reranking service, in one."""
    ORDERS.clear()
    with ScriptedServer(answers()) as scripted:
        settings.LLM_PROVIDER, settings.LLM_URL, settings.LLM_MODEL = "openai", scripted.url, "m-1"
        settings.RERANKER, settings.RERANKER_URL = "tei", scripted.url
        yield scripted
    forget_language_models()
    forget_rerankers()


@pytest.fixture
def drinker(alice: Caller) -> Caller:
    """alice, who knows of tea."""
    alice.remember(*TEXTS)
    return alice


def test_a_model_that_names_what_helps_puts_it_first(server: ScriptedServer, drinker: Caller) -> None:
    before = drinker.found("tea in the kitchen")
    server.script(replies_json({"order": [4]}))
    answer = drinker.recall("tea in the kitchen", rerank="relevant_only", include_trace=True)
    texts = [result["text"] for result in answer["results"]]
    assert texts == [before[3], *before[:3], before[4]]
    assert (answer["degraded"], answer["notes"]) == ([], [])
    assert answer["trace"]["reranker"]["order"] == [result["id"] for result in answer["results"]]
    assert all(text in prompt_of(server.requests[0]) for text in TEXTS)


def test_more_are_read_than_are_asked_for(server: ScriptedServer, drinker: Caller) -> None:
    before = drinker.found("tea in the kitchen")
    server.script(replies_json({"order": [5]}))
    assert drinker.found("tea in the kitchen", limit=2, rerank="relevant_only") == [before[4], before[0]]


def test_a_service_that_scores(server: ScriptedServer, drinker: Caller) -> None:
    before = drinker.found("tea in the kitchen")
    server.script(says([{"index": at, "score": at} for at in range(5)]))
    assert drinker.found("tea in the kitchen", rerank="scores") == before[::-1]
    assert server.requests[0].path == "/rerank"


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        (status(401), "rejected"), (replies_json({"order": [9]}), "bad_reply"), (status(400), "rejected"),
        (replies_json({"order": "1"}), "bad_reply"), (hang(), "timeout"),
    ],
    ids=["401", "unknown", "400", "type", "hang"],
)  # fmt: skip
def test_a_failure_keeps_the_order_and_is_said(
    server: ScriptedServer, drinker: Caller, settings: Any, behaviour: Any, why: str
) -> None:
    before = drinker.found("tea in the kitchen")
    settings.RECALL_DEADLINE = 1.5 if why == "timeout" else 5.0
    server.script(*[behaviour] * 4)
    answer = drinker.recall("tea in the kitchen", rerank="full_reorder")
    assert [result["text"] for result in answer["results"]] == before
    assert answer["degraded"] == [f"reranker:llm:{why}"]


def test_without_a_reranker_a_note_says_so(drinker: Caller, settings: Any) -> None:
    before = drinker.found("tea in the kitchen")
    for manner, name in (("relevant_only", "llm"), ("scores", "service")):
        answer = drinker.recall("tea in the kitchen", rerank=manner)
        assert [result["text"] for result in answer["results"]] == before
        assert (answer["degraded"], answer["notes"]) == ([], [f"reranker:{name}:not_configured"])


def test_a_tenant_sets_it_and_a_request_leaves_it_out(server: ScriptedServer, drinker: Caller, charlie: Caller) -> None:
    admin = drinker.with_key(["admin"])
    assert admin.call("PATCH", "settings", {"recall": {"rerank": "relevant_only"}}).status_code == 200
    server.script(replies_json({"order": [2]}))
    drinker.found("tea in the kitchen")
    assert len(server.requests) == 1
    drinker.found("tea in the kitchen", rerank="off")
    drinker.found("tea in the kitchen", full_pipeline=False)
    charlie.remember(*TEXTS)
    charlie.found("tea in the kitchen")
    assert len(server.requests) == 1


def test_an_order_is_kept_until_what_was_ordered_changes(server: ScriptedServer, drinker: Caller) -> None:
    server.script(replies_json({"order": [3]}), replies_json({"order": [1]}))
    first = drinker.recall("tea in the kitchen", rerank="relevant_only")["results"]
    assert drinker.recall("tea in the kitchen", rerank="relevant_only")["results"] == first
    assert len(server.requests) == 1
    assert drinker.call("DELETE", "memories", {"ids": [first[0]["id"]]}).json()["deleted"] == 1
    left = drinker.found("tea in the kitchen", rerank="relevant_only")
    assert len(server.requests) == 2 and first[0]["text"] not in left and len(left) == 4


def test_an_order_is_that_of_the_service_at_this_address(
    server: ScriptedServer, drinker: Caller, settings: Any
) -> None:
    before = drinker.found("tea in the kitchen")
    server.script(replies_json({"order": [3]}))
    assert drinker.found("tea in the kitchen", rerank="relevant_only")[0] == before[2]
    with ScriptedServer(answers('{"order": [5]}')) as other:
        settings.LLM_URL = other.url
        assert drinker.found("tea in the kitchen", rerank="relevant_only")[0] == before[4]
    settings.LLM_URL = server.url
    assert drinker.found("tea in the kitchen", rerank="relevant_only")[0] == before[2]
    assert len(server.requests) == 1


def test_an_unknown_manner_is_a_fault(alice: Caller) -> None:
    response = alice.post("recall", {"query": "tea", "rerank": "magic"})
    assert response.status_code == 422 and response.json()["errors"][0]["pointer"] == "/rerank"


def test_a_floor_holds_whoever_orders(alice: Caller) -> None:
    alice.remember(*[f"The parrot number {n} of the zoo sings." for n in range(30)], "A bird that imitates speech.")
    nearest = {hit["id"] for hit in alice.recall("parrot number 7", mode="vector", limit=2)["results"]}
    for rerank in ("off", "relevant_only"):
        answer = alice.recall("parrot number 7", limit=2, vector_floor=2, rerank=rerank)
        assert {hit["id"] for hit in answer["results"]} == nearest, rerank
