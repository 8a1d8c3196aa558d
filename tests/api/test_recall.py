"""Recall over REST."""

import pytest

from tests.cast import Caller

FACTS = [
    "Dana prefers discharge summaries by secure message.",
    "The backup server is at 10.0.0.12 and runs Debian.",
    "ERR_CONN_42 means that the proxy refused the connection.",
    "The deploy script lives in src/tools/deploy.py.",
    "Das Büro in München zieht im Mai um.",
    "今日は成語しりとりをした",
    "Our café serves crêpes on Sundays.",
]


@pytest.fixture
def acme(alice: Caller) -> Caller:
    alice.remember(*FACTS, source="facts")
    return alice


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("how are discharge summaries sent to Dana", 0),
        ("10.0.0.12", 1),
        ("what does err_conn_42 mean", 2),
        ("deploy.py", 3),
        ("wann zieht das büro um", 4),
        ("しりとり", 5),
        ("cafe crepes", 6),
    ],
)
def test_the_right_memory_comes_first(acme: Caller, query: str, expected: int) -> None:
    assert acme.found(query)[0] == FACTS[expected]


def test_the_answer_has_the_seeds_fields(acme: Caller) -> None:
    answer = acme.recall("Dana")
    assert set(answer) == {"query", "results", "degraded", "notes", "trace", "tokens_estimate"}
    assert {"id", "text", "score", "source", "retrievers", "metadata"} <= set(answer["results"][0])
    assert answer["results"][0]["retrievers"] == ["vector", "bm25"]
    assert answer["results"][0]["source"] == "facts"
    assert (answer["degraded"], answer["notes"], answer["trace"]) == ([], [], None)
    assert answer["tokens_estimate"] > 0


def test_scores_lie_between_0_and_1_and_fall(acme: Caller) -> None:
    scores = [result["score"] for result in acme.recall("server connection")["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_a_limit_of_100_is_filled(alice: Caller) -> None:
    for start in (0, 64):
        alice.remember(*[f"Entry number {n} of the log." for n in range(start, start + 64)])
    assert len(alice.found("log entry", limit=100)) == 100
    assert len(alice.found("log entry", limit=1)) == 1


def test_the_trace_shows_arms_and_their_ranks(acme: Caller) -> None:
    trace = acme.recall("Dana", include_trace=True)["trace"]
    assert [arm["name"] for arm in trace["retrievers"]] == ["vector", "bm25"]
    assert trace["retrievers"][1]["ranked"][0][0] == acme.recall("Dana")["results"][0]["id"]
    assert trace["fused"]


def test_a_token_budget_keeps_the_prefix_that_fits(acme: Caller) -> None:
    whole = acme.recall("server")
    first = acme.recall("server", token_budget=14)
    assert 0 < len(first["results"]) < len(whole["results"])
    assert first["tokens_estimate"] <= 14
    none = acme.recall("server", token_budget=1)
    assert (none["results"], none["notes"]) == ([], ["token_budget:too_small"])


def test_a_retry_without_a_language_model_is_noted_only_where_it_was_due(acme: Caller) -> None:
    assert acme.recall("zxqv", mode="keyword", retry_on_weak=True)["notes"] == ["weak_retry:not_configured"]
    assert acme.recall("Dana", retry_on_weak=True)["notes"] == []
    assert acme.recall("zxqv", mode="keyword")["notes"] == []


def test_a_malformed_as_of_is_told_with_an_example(acme: Caller) -> None:
    answer = acme.post("recall", {"query": "x", "as_of": "last week"})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", "as_of"]
    assert "2026-03-20" in answer.json()["detail"][0]["msg"]


def test_a_query_without_words_still_answers(acme: Caller) -> None:
    assert acme.post("recall", {"query": "?!"}).status_code == 200


def test_namespaces_narrow_a_recall(alice: Caller) -> None:
    alice.remember("The password hint is a river.", namespace="private")
    alice.remember("The password policy is strict.", namespace="public")
    assert alice.found("password", namespaces=["public"]) == ["The password policy is strict."]
    assert alice.found("password", namespaces=[]) == []


def test_neighbours_in_a_source_lend_a_hit_their_relevance_if_they_are_alike(alice: Caller) -> None:
    late = "The ferry was late."
    turns = ["Where did you go?", "We took the ferry to Lisbon harbour.", late, "Anyway.", "And you?", "Me too."]
    for offset, turn in enumerate(turns):
        alice.remember(turn, source="talk", offset=offset)
    for offset, note in enumerate(["Lisbon harbour: bills are due in May.", late, "Buy soap."]):
        alice.remember(note, source="notes", offset=offset)
    results = alice.recall("trip to Lisbon harbour", limit=10, include_trace=True)["results"]
    lent = {hit["source"]: hit["explanation"]["parts"].get("neighbours", 0.0) for hit in results if hit["text"] == late}
    assert lent["talk"] > max(0.0, lent["notes"])
