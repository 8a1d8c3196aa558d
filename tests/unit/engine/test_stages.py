"""Stages: bounded nudges that show among the parts, and none of the seed's scales gone wrong."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memory.engine.shape import identifiers, shape_of
from memory.engine.stages import MOST, STAGES, Asked, Candidate, apply, switched_on
from memory.engine.types import Fused, Record

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def asked(query: str, *terms: str) -> Asked:
    return Asked(query, "en", terms, shape_of(query), identifiers(query), NOW)


def candidate(
    number: int, text: str, odds: float, *, days: float = 0.0, words: float = 1.0, **payload: Any
) -> Candidate:
    known = (NOW - timedelta(days=days)).isoformat()
    record = Record(UUID(int=number), UUID(int=number), text, {"timestamp": None, "known_from": known, **payload})
    return Candidate(Fused(UUID(int=number), 0.0, {"dense": odds}, {"lexical": words}), record)


def order(names: tuple[str, ...], question: Asked, *candidates: Candidate) -> list[int]:
    found = apply([stage for stage in STAGES if stage.name in names], question, candidates)
    return [hit.version.int for hit in found]


def test_an_identifier_is_found_as_a_whole_in_any_source() -> None:
    texts = ["ERR_CONN_421 is fine.", "See ERR_CONN_42.", "Errors in connections.", "XERR_CONN_42 ERR_CONN_42.7"]
    found = [candidate(at, text, 1.0, source="notes.txt") for at, text in enumerate(texts)]
    assert order(("exact_token",), asked("what is ERR_CONN_42?"), *found) == [1, 0, 2, 3]


def test_an_old_relevant_memory_stays_above_a_fresh_irrelevant_one() -> None:
    """The seed put a 20-day-old irrelevant hit above a 200-day-old one that three arms had first."""
    old, new = candidate(1, "match", 3.0, days=200), candidate(2, "noise", -1.0, days=0)
    assert order(("freshness", "gravity"), asked("match", "match"), old, new) == [1, 2]


def test_of_two_equal_memories_the_later_goes_first_and_the_world_s_time_counts() -> None:
    old, new = candidate(1, "tea", 1.0, days=100), candidate(2, "tea", 1.0, days=1)
    assert order(("freshness",), asked("tea"), old, new) == [2, 1]
    long_ago = candidate(3, "tea", 1.0, days=0, timestamp="2020-01-01T00:00:00Z")
    assert order(("freshness",), asked("tea"), long_ago, new) == [2, 3]


def test_gravity_works_on_every_scale() -> None:
    """The seed's gate is never met on the scores that reach it."""
    near, far = candidate(1, "x", 1.2, words=0.0), candidate(2, "y", 1.0)
    assert order(("gravity",), asked("y", "y"), near, far) == [2, 1]


def test_a_stage_that_is_off_leaves_no_part() -> None:
    hits = apply([], asked("tea"), [candidate(1, "tea", 0.5)])
    assert hits[0].parts == {"dense": 0.5}


def test_switches_differ_from_the_defaults_by_name_only() -> None:
    question = asked("what is ERR_CONN_42?", "err_conn_42")
    usual = {stage.name for stage in switched_on({}, question)}
    assert usual == {stage.name for stage in STAGES if stage.default}
    turned = {stage.name: not stage.default for stage in STAGES}
    assert {stage.name for stage in switched_on(turned, question)} == {stage.name for stage in STAGES} - usual


def test_a_stage_that_has_nothing_to_do_does_not_run() -> None:
    assert "exact_token" not in {stage.name for stage in switched_on({}, asked("tea"))}


@given(
    query=st.text(max_size=60),
    found=st.lists(
        st.tuples(st.text(max_size=60), st.floats(-8, 8), st.floats(0, 40_000), st.floats(0, 9)), max_size=12
    ),
)
def test_no_stage_moves_a_result_by_more_than_the_bound(
    query: str, found: list[tuple[str, float, float, float]]
) -> None:
    candidates = [
        candidate(at, text, odds, days=days, words=words) for at, (text, odds, days, words) in enumerate(found)
    ]
    question = asked(query, *query.split())
    hits = apply([stage for stage in STAGES if stage.applies(question)], question, candidates)
    assert sorted(hit.version.int for hit in hits) == list(range(len(found)))
    for hit in hits:
        assert 0 <= hit.score <= 1
        assert all(abs(part) <= MOST for name, part in hit.parts.items() if name != "dense")
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
