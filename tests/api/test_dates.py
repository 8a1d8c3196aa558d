"""Questions that name a time, and spans of time that a request sets."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.engine.types import View
from memory.services.recall import recall
from memory.stores.postgres import temporal as times
from tests.api.answers import problem
from tests.cast import Caller

DIARY = {
    "2024-05-03T09:00:00Z": "Dana planted tomatoes behind the house.",
    "2024-05-07T08:00:00Z": "Dana fed the cat.",
    "2024-05-07T12:30:00Z": "Dana repaired the green boat.",
    "2024-05-07T19:00:00Z": "Dana baked bread with rye.",
    "2024-06-20T09:00:00Z": "Dana repaired the red boat.",
}


def item(text: str, timestamp: str, **more: Any) -> dict[str, Any]:
    return {"text": text, "timestamp": timestamp, **more}


def keep(caller: Caller, *items: dict[str, Any]) -> list[str]:
    answer = caller.post("memories", {"items": list(items)})
    assert answer.status_code == 200, answer.content
    return [result["id"] for result in answer.json()["results"]]


@pytest.fixture
def diary(alice: Caller) -> Caller:
    keep(alice, *(item(text, moment) for moment, text in DIARY.items()))
    alice.remember("Dana repaired the old boat and never wrote down when.")
    return alice


def arms(caller: Caller, query: str, **asked: Any) -> list[str]:
    trace = caller.recall(query, include_trace=True, **asked)["trace"]
    return [arm["name"] for arm in trace["retrievers"]]


def test_a_day_in_the_question_brings_what_happened_then(diary: Caller) -> None:
    assert diary.found("Which boat did Dana repair on May 7, 2024?")[0] == "Dana repaired the green boat."
    assert diary.found("Which boat did Dana repair in June 2024?")[0] == "Dana repaired the red boat."


def test_a_question_about_nothing_but_a_day_is_answered_in_the_order_of_time(diary: Caller) -> None:
    assert diary.found("What happened on May 7, 2024?")[:3] == [
        "Dana fed the cat.",
        "Dana repaired the green boat.",
        "Dana baked bread with rye.",
    ]
    assert diary.found("what happened before May 7, 2024?")[0] == "Dana planted tomatoes behind the house."


def test_a_question_about_a_day_on_which_nothing_happened_still_finds_something(diary: Caller) -> None:
    assert len(diary.found("what happened on 2001-01-01?")) == 6


def test_the_arm_runs_only_where_a_date_is_named(diary: Caller) -> None:
    assert "temporal" in arms(diary, "Which boat did Dana repair in June 2024?")
    assert "temporal" not in arms(diary, "Which boat did Dana repair?")
    assert "temporal" not in arms(diary, "the decision log of version 2019")
    assert "temporal" not in arms(diary, "Which boat did Dana repair in June 2024?", weights={"temporal": 0})
    assert "temporal" not in arms(diary, "Which boat did Dana repair in June 2024?", mode="natural")


def test_a_hit_says_what_the_date_gave_it(diary: Caller) -> None:
    found = diary.recall("Which boat did Dana repair in June 2024?", include_trace=True)
    best = found["results"][0]
    assert "temporal" in best["retrievers"]
    assert best["explanation"]["raw"]["temporal"] == 1.0
    assert best["explanation"]["parts"]["temporal"] > 0
    assert found["trace"]["weights"]["temporal"] == 0.5


def test_only_who_asks_for_the_arm_is_told_that_no_date_was_read(diary: Caller) -> None:
    assert diary.recall("Which boat?")["notes"] == []
    assert diary.recall("Which boat?", weights={"temporal": 2})["notes"] == ["temporal:no_parse"]
    assert diary.recall("Which boat in June 2024?", weights={"temporal": 2})["notes"] == []


def test_the_arm_keeps_to_filters_namespaces_and_time_view(alice: Caller) -> None:
    keep(alice, item("The blue kite flew.", "2024-05-07T10:00:00Z", namespace="team-a"))
    (gone,) = keep(alice, item("The grey kite flew.", "2024-05-07T11:00:00Z"))
    keep(alice, item("The gold kite flew.", "2024-05-07T12:00:00Z", tags=["toy"]))
    assert alice.post("invalidate", {"ids": [gone]}).status_code == 200
    question = "what happened on May 7, 2024?"
    assert alice.found(question) == ["The blue kite flew.", "The gold kite flew."]
    assert alice.found(question, namespaces=["team-a"]) == ["The blue kite flew."]
    assert alice.found(question, filters={"tags": "toy"}) == ["The gold kite flew."]
    assert len(alice.found(question, include_invalidated=True)) == 3
    narrow = alice.with_key(["read"], namespaces=["team-a"])
    assert narrow.found(question) == ["The blue kite flew."]


def test_no_tenant_sees_what_happened_to_another(diary: Caller, charlie: Caller) -> None:
    assert charlie.found("What happened on May 7, 2024?") == []


def test_yesterday_is_counted_from_now(alice: Caller) -> None:
    noon = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
    keep(
        alice,
        item("Dana mended the gate.", (noon - timedelta(days=4)).isoformat()),
        item("Dana mended the fence.", (noon - timedelta(days=1)).isoformat()),
    )
    assert alice.found("what did Dana mend yesterday?")[0] == "Dana mended the fence."


@pytest.mark.parametrize(
    ("zone", "first"),
    [("UTC", "Dana fed the cat."), ("Pacific/Auckland", "Dana repaired the green boat.")],
)
def test_yesterday_is_a_day_of_the_tenants_time_zone(diary: Caller, zone: str, first: str) -> None:
    assert diary.with_key(["admin"]).call("PATCH", "settings", {"dates": {"time_zone": zone}}).status_code == 200
    then = View(valid_at=datetime(2024, 5, 8, 13, tzinfo=UTC))
    assert recall(diary.scope, query="what happened yesterday?", view=then).hits[0].record.text == first


def test_a_recall_of_the_past_counts_from_then(diary: Caller) -> None:
    asked = {"query": "what did Dana repair last week?", "include_trace": True, "as_of": "2024-05-15T12:00:00Z"}
    best = diary.recall(**asked)["results"][0]
    assert (best["text"], "temporal" in best["retrievers"]) == ("Dana repaired the green boat.", True)


def ranked(caller: Caller, query: str, **asked: Any) -> list[str]:
    """What the temporal arm alone found, best first."""
    found = caller.recall(query, include_trace=True, limit=100, **asked)
    texts = {hit["id"]: hit["text"] for hit in found["results"]}
    (arm,) = (arm for arm in found["trace"]["retrievers"] if arm["name"] == "temporal")
    return [texts[memory] for memory, _score in arm["ranked"]]


@pytest.mark.parametrize("few", [1000, 2])
def test_the_arm_ranks_what_lies_within_the_window_by_meaning(
    diary: Caller, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """`few`: exactly, and where the window holds too much for that."""
    monkeypatch.setattr(times, "FEW", few)
    found = ranked(diary, "Which boat did Dana repair in May 2024?")
    assert found[0] == "Dana repaired the green boat."
    assert len(found) == 4


def test_without_the_querys_vector_the_arm_takes_the_latest(diary: Caller) -> None:
    found = ranked(diary, "Which boat did Dana repair in May 2024?", weights={"vector": 0})
    assert found == [text for moment, text in reversed(DIARY.items()) if moment < "2024-06"]


def test_since_and_until_narrow_every_arm_and_are_half_open(diary: Caller) -> None:
    assert diary.found("boat", since="2024-06-01") == ["Dana repaired the red boat."]
    span = {"since": "2024-05-07T08:00:00Z", "until": "2024-05-07T19:00:00Z"}
    assert sorted(diary.found("Dana", **span)) == ["Dana fed the cat.", "Dana repaired the green boat."]
    assert diary.found("boat", until="2024-05-08", filters={"timestamp": {"gte": "2024-05-04"}}, limit=1) == [
        "Dana repaired the green boat."
    ]


@pytest.mark.parametrize("field", ["since", "until"])
@pytest.mark.parametrize("value", ["yesterday", "2024-05-07T08:00:00", "07.05.2024"])
def test_a_malformed_span_is_refused_with_an_example(alice: Caller, field: str, value: str) -> None:
    fault = problem(alice.post("recall", {"query": "boat", field: value}), 422, pointer=f"/{field}")
    assert "2026-03-20T14:30:00Z" in str(fault["errors"])


def test_a_span_that_ends_before_it_begins_is_refused(alice: Caller) -> None:
    refused = alice.post("recall", {"query": "boat", "since": "2024-05-07", "until": "2024-05-07"})
    assert refused.status_code == 422
    assert "since must come before until" in refused.content.decode()
