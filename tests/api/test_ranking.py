"""How a request ranks otherwise than the tenant has set; and what is refused."""

from typing import Any

import pytest

from tests.api.answers import problem
from tests.cast import Caller


@pytest.fixture
def shelf(alice: Caller) -> Caller:
    alice.remember(
        "The gateway answers ERR_CONN_42 when the proxy is away.",
        "ERR_CONN_421 is a warning of the proxy that may be ignored.",
        "The connection to the gateway fails with an error at night.",
        "Dana sails on Sundays.",
    )
    return alice


def test_a_mode_takes_one_arm_alone(shelf: Caller) -> None:
    assert [
        arm["name"] for arm in shelf.recall("gateway", mode="natural", include_trace=True)["trace"]["retrievers"]
    ] == ["bm25"]
    found = shelf.recall("gateway", mode="vector", include_trace=True)
    assert [arm["name"] for arm in found["trace"]["retrievers"]] == ["vector"]
    assert {tuple(hit["retrievers"]) for hit in found["results"]} == {("vector",)}


def test_an_arm_of_weight_0_is_not_even_asked(shelf: Caller) -> None:
    for name in ("bm25", "lexical"):
        trace = shelf.recall("gateway", weights={name: 0}, include_trace=True)["trace"]
        assert [arm["name"] for arm in trace["retrievers"]] == ["vector"]


def test_weights_that_are_set_win_over_those_that_adapt(shelf: Caller) -> None:
    query = "what does ERR_CONN_42 mean"

    def weight(**asked: Any) -> float:
        found: float = shelf.recall(query, include_trace=True, **asked)["trace"]["weights"]["bm25"]
        return found

    assert weight(adaptive_weights=True) == pytest.approx(1.4 * weight())
    assert weight(adaptive_weights=True, weights={"bm25": 2}) == pytest.approx(2 * weight())


def test_ranks_fuse_too_and_say_so(shelf: Caller) -> None:
    found = shelf.recall("ERR_CONN_42 gateway", fusion="rrf", include_trace=True)
    assert found["trace"]["fusion"] == "rrf"
    assert found["results"][0]["text"].startswith("The gateway answers ERR_CONN_42")
    assert all(0 <= hit["score"] <= 1 for hit in found["results"])


def test_a_stage_shows_what_it_did_and_can_be_switched_off(shelf: Caller) -> None:
    lifted = shelf.recall("ERR_CONN_42", include_trace=True)
    assert "exact_token" in lifted["trace"]["stages"]
    assert lifted["results"][0]["explanation"]["parts"]["exact_token"] == pytest.approx(1.35)
    for off in ({"stages": {"exact_token": False}}, {"full_pipeline": False}):
        plain = shelf.recall("ERR_CONN_42", include_trace=True, **off)
        assert "exact_token" not in plain["results"][0]["explanation"]["parts"]
    assert plain["trace"]["stages"] == []


def test_a_vector_floor_keeps_the_nearest_within_the_limit(shelf: Caller) -> None:
    nearest = shelf.recall("ERR_CONN_421", mode="vector", limit=2)["results"]
    found = shelf.recall("ERR_CONN_421", limit=2, vector_floor=2)["results"]
    assert {hit["id"] for hit in nearest} == {hit["id"] for hit in found}


@pytest.mark.parametrize(
    ("asked", "field", "words"),
    [
        ({"weights": {"lexicon": 1}}, "weights", "knows no retriever 'lexicon': choose from dense, lexical"),
        ({"weights": {"bm25": 1, "lexical": 2}}, "weights", "names a retriever twice"),
        ({"weights": {"bm25": -1}}, "weights", "greater than or equal to 0"),
        ({"weights": {"bm25": 11}}, "weights", "less than or equal to 10"),
        ({"stages": {"curio": True}}, "stages", "knows no stage 'curio': choose from exact_token"),
        ({"fusion": "sum"}, "fusion", "'score' or 'rrf'"),
        ({"mode": "psychic"}, "mode", "'hybrid'"),
        ({"vector_floor": 101}, "vector_floor", "100"),
        ({"smoothing": 2}, "smoothing", "1"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused_by_name(
    shelf: Caller, asked: dict[str, Any], field: str, words: str
) -> None:
    answer = problem(shelf.post("recall", {"query": "x", **asked}), 422, "invalid_request")
    assert field in str(answer["detail"][0]["loc"])
    assert words in answer["detail"][0]["msg"]
