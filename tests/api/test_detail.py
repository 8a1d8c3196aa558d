"""How much of a recall's results is told: detail, neighbours, and what narrows them."""

import pytest

from memory.services import retrieve
from tests.cast import Caller

LONG = "The harbour master keeps the lamp oil" + ", in the third shed from the left" * 12
TURNS = ["Good morning.", "Where is the lamp oil?", LONG, "Thank you.", "Not at all."]


@pytest.fixture
def talk(alice: Caller) -> Caller:
    for offset, turn in enumerate(TURNS):
        alice.remember(turn, source="talk", offset=offset)
    alice.remember("The lamp is green.", kind="fact", tags=["lamp"], confidence=0.4)
    return alice


@pytest.mark.parametrize(("detail", "length"), [(1, 0), ("2", 40), (3, 200), ("full", len(LONG))])
def test_detail_cuts_texts_and_what_they_cost(talk: Caller, detail: int | str, length: int) -> None:
    answer = talk.recall("where is the lamp oil kept?", detail=detail)
    (hit,) = (each for each in answer["results"] if each["metadata"].get("offset") == 2)
    assert len(hit["text"]) == length
    assert ("cut" in hit) == (detail != "full")
    assert (answer["tokens_estimate"] == 0) == (detail == 1)


def test_neighbours_come_with_a_result_in_their_order(talk: Caller) -> None:
    results = talk.recall("third shed from the left", include_neighbors=True, neighbor_radius=2, limit=1)["results"]
    assert [(near["distance"], near["text"]) for near in results[0]["neighbors"]] == [
        (-2, TURNS[0]), (-1, TURNS[1]), (1, TURNS[3]), (2, TURNS[4]),
    ]  # fmt: skip
    assert "neighbors" not in talk.recall("third shed", limit=1)["results"][0]


def test_neighbours_count_for_the_budget_and_keep_to_filters_and_time(talk: Caller) -> None:
    alone = talk.recall("third shed", limit=1)["tokens_estimate"]
    assert talk.recall("third shed", limit=1, include_neighbors=True)["tokens_estimate"] > alone
    (first,) = (each["id"] for each in talk.recall("good morning", limit=1)["results"])
    talk.post("invalidate", {"ids": [first]})
    asked = {"limit": 1, "include_neighbors": True, "neighbor_radius": 2, "filters": {"offset": {"lte": 3}}}
    (hit,) = talk.recall("third shed", **asked)["results"]
    assert [near["distance"] for near in hit["neighbors"]] == [-1, 1]


def test_neighbours_have_a_limit_together_and_the_nearest_come_first(
    talk: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieve, "MOST_BESIDE", len(TURNS[1] + TURNS[3]) + 1)
    answer = talk.recall("third shed", limit=1, include_neighbors=True, neighbor_radius=2)
    assert [near["distance"] for near in answer["results"][0]["neighbors"]] == [-1, 1]
    assert answer["notes"] == ["neighbors:cut"]


def test_kinds_tags_tiers_and_confidence_narrow(talk: Caller) -> None:
    assert talk.found("lamp", kinds=["fact"]) == ["The lamp is green."]
    assert talk.found("lamp", tags=["lamp"]) == ["The lamp is green."]
    assert talk.found("lamp", tier="facts") == []
    assert len(talk.found("lamp", tier="chunks")) == len(talk.found("lamp"))
    assert "The lamp is green." not in talk.found("lamp", min_confidence=0.5)
    assert LONG in talk.found("lamp oil", min_confidence=0.5)
