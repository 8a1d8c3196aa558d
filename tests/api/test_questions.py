"""Questions that a language model works on first: rewritten, widened, answered in advance; what fails is left out."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from memory.services.models import try_language_model
from memory.services.patience import MODEL_EACH, Late, asking
from memory.stores.llm import forget_language_models
from tests.cast import Caller
from tests.servers.chat import answers, prompt_of, replies, replies_json
from tests.servers.scripted import ScriptedServer, drip, hang, status

HISTORY = [{"role": "user", "text": "Who is Dana?"}, {"role": "assistant", "text": "A nurse on ward 7."}]
TEXTS = ["Dana prefers green tea.", "The server runs Debian.", "Invoices are due on Friday.", "Ward 7 has a fax."]


@pytest.fixture
def server(settings: Any) -> Iterator[ScriptedServer]:
    """The operator's language model."""
    with ScriptedServer(answers()) as scripted:
        settings.LLM_PROVIDER, settings.LLM_URL, settings.LLM_MODEL = "openai", scripted.url, "m-1"
        yield scripted
    forget_language_models()


@pytest.fixture
def knower(alice: Caller) -> Caller:
    """alice, who knows a few things."""
    alice.remember(*TEXTS)
    return alice


def test_a_follow_up_is_asked_in_full(server: ScriptedServer, knower: Caller) -> None:
    server.script(replies_json({"query": "What does Dana prefer, tea?"}))
    answer = knower.recall("And what does she prefer?", history=HISTORY, include_trace=True)
    assert answer["results"][0]["text"] == TEXTS[0]
    assert answer["query"] == "And what does she prefer?"
    assert answer["trace"]["rewritten"] == "What does Dana prefer, tea?"
    assert "A nurse on ward 7." in prompt_of(server.requests[0])


def test_other_wordings_are_looked_for_too(server: ScriptedServer, knower: Caller) -> None:
    server.script(replies_json({"queries": ["Debian server", "operating system"]}))
    answer = knower.recall("xyzzy", expand=True, include_trace=True)
    arms = {arm["name"]: arm["ranked"] for arm in answer["trace"]["retrievers"]}
    assert answer["trace"]["variants"] == ["Debian server", "operating system"]
    first = next(hit for hit in answer["results"] if hit["text"] == TEXTS[1])
    assert arms["expansion"][0][0] == first["id"] and "expansion" in first["retrievers"]
    assert first["explanation"]["raw"]["expansion"] > 0.3


def test_an_imagined_answer_finds_the_real_one(server: ScriptedServer, knower: Caller) -> None:
    server.script(replies_json({"note": "Invoices are due on Friday."}))
    answer = knower.recall("xyzzy", hyde=True, include_trace=True)
    assert answer["results"][0]["text"] == TEXTS[2]
    assert answer["results"][0]["explanation"]["raw"]["hyde"] == pytest.approx(1.0, abs=0.01)
    assert answer["trace"]["hypothetical"] == "Invoices are due on Friday."


def test_a_weight_of_nothing_leaves_an_arm_out(server: ScriptedServer, knower: Caller) -> None:
    knower.recall("tea", hyde=True, expand=True, weights={"hyde": 0, "expansion": 0})
    knower.recall("tea", hyde=True, expand=True, mode="vector")
    assert server.requests == []


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        (status(401), "rejected"),
        (replies("no JSON"), "bad_reply"),
        (replies(""), "bad_reply"),
        (hang(), "timeout"),
        (drip("head"), "timeout"),
    ],
    ids=["401", "prose", "empty", "hang", "drip"],
)
def test_what_fails_is_left_out_and_said(
    server: ScriptedServer, knower: Caller, settings: Any, behaviour: Any, why: str
) -> None:
    before = knower.found("tea")
    settings.RECALL_DEADLINE = 2.0 if why == "timeout" else 5.0
    server.script(*[behaviour] * 9)
    answer = knower.recall("tea", history=HISTORY, expand=True, hyde=True)
    assert [result["text"] for result in answer["results"]] == before
    assert answer["degraded"] == [f"rewrite:{why}", f"expansion:{why}", f"hyde:{why}"]


def test_without_a_model_notes_say_so(knower: Caller) -> None:
    answer = knower.recall("tea", history=HISTORY, expand=True, hyde=True)
    assert (answer["degraded"], answer["results"][0]["text"]) == ([], TEXTS[0])
    assert answer["notes"] == ["rewrite:not_configured", "expansion:not_configured", "hyde:not_configured"]


def test_nothing_is_asked_of_a_model_unless_the_request_says_so(server: ScriptedServer, knower: Caller) -> None:
    assert knower.found("tea")[0] == TEXTS[0]
    assert server.requests == []


def test_a_history_has_roles_and_bounds(alice: Caller) -> None:
    for history, pointer in (
        ([{"role": "system", "text": "x"}], "/history/0/role"),
        ([{"role": "user"}], "/history/0/text"),
        ([{"role": "user", "text": "x"}] * 65, "/history"),
    ):
        response = alice.post("recall", {"query": "tea", "history": history})
        assert response.status_code == 422 and response.json()["errors"][0]["pointer"] == pointer


def test_a_weak_result_is_asked_for_again_and_what_was_found_first_stays_first(
    server: ScriptedServer, knower: Caller
) -> None:
    server.script(replies_json({"queries": ["Debian", "invoices"]}))
    asked = {"mode": "keyword", "include_trace": True}
    answer = knower.recall("fax", retry_on_weak=True, **asked)
    assert [hit["text"] for hit in answer["results"]] == [TEXTS[3], *sorted([TEXTS[1], TEXTS[2]], key=order_in(answer))]
    assert answer["trace"]["retried"] == ["Debian", "invoices"]
    scores = [hit["score"] for hit in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert [hit["text"] for hit in knower.recall("fax", **asked)["results"]] == [TEXTS[3]]


def order_in(answer: Any) -> Any:
    return [hit["text"] for hit in answer["results"]].index


def test_what_was_not_weak_is_not_asked_again(server: ScriptedServer, knower: Caller) -> None:
    knower.recall("tea", retry_on_weak=True)
    knower.recall("zxqv", mode="keyword", limit=1, retry_on_weak=False)
    assert server.requests == []


@pytest.mark.parametrize(
    ("reply", "tag"),
    [(replies_json({"queries": []}), "weak_retry:no_variants"), (status(500), "weak_retry:server_error")],
)
def test_a_retry_that_comes_to_nothing_takes_nothing_away(
    server: ScriptedServer, knower: Caller, reply: Any, tag: str
) -> None:
    server.script(*[reply] * 9)
    answer = knower.recall("fax", mode="keyword", retry_on_weak=True)
    assert [hit["text"] for hit in answer["results"]] == [TEXTS[3]]
    assert tag in answer["degraded"] + answer["notes"]


@pytest.mark.parametrize("mode", ["raw", "exact"])
def test_a_query_to_the_letter_stays_as_it_is(server: ScriptedServer, knower: Caller, mode: str) -> None:
    answer = knower.recall("Debian", mode=mode, history=HISTORY, retry_on_weak=True)
    assert [hit["text"] for hit in answer["results"]] == [TEXTS[1]]
    assert answer["notes"] == ["rewrite:not_in_this_mode", "weak_retry:not_in_this_mode"]
    assert server.requests == []


def test_a_model_that_writes_what_cannot_be_stored_is_left_out(server: ScriptedServer, knower: Caller) -> None:
    odd = "tea \ud83d \0"
    server.script(*(replies_json(value) for value in ({"query": odd}, {"queries": [odd]}, {"note": odd})))
    answer = knower.recall("tea", history=HISTORY, expand=True, hyde=True, include_trace=True)
    assert answer["results"][0]["text"] == TEXTS[0]
    assert answer["degraded"] == ["rewrite:bad_reply", "expansion:bad_reply", "hyde:bad_reply"]


def test_a_tenant_whose_calls_hang_holds_up_itself_only(
    server: ScriptedServer, knower: Caller, charlie: Caller
) -> None:
    release, ended = threading.Event(), threading.Semaphore(0)

    def hanging() -> None:
        release.wait(30)
        ended.release()

    for _ in range(MODEL_EACH):
        with pytest.raises(Late):
            asking(knower.scope.tenant, 0.01, hanging)
    try:
        answer = knower.recall("tea", history=HISTORY, rerank="relevant_only")
        assert answer["degraded"] == ["rewrite:busy", "reranker:llm:busy"]
        assert answer["results"][0]["text"] == TEXTS[0] and "vector" in answer["results"][0]["retrievers"]
        trial = try_language_model(knower.with_key(["admin"]).scope)
        assert trial is not None and "too many calls" in trial.fault
        assert server.requests == []
        server.script(replies_json({"query": "What does Dana prefer?"}))
        assert charlie.recall("And she?", history=HISTORY)["degraded"] == []
    finally:
        release.set()
    assert all(ended.acquire(timeout=10) for _ in range(MODEL_EACH))
