"""Stages: bounded nudges that show among the parts, and none of the seed's scales gone wrong."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memory.engine.shape import identifiers, shape_of
from memory.engine.stages import MOST, STAGES, Asked, Candidate, apply, switched_on
from memory.engine.types import Fused, Record

NOW = datetime(2026, 11, 30, tzinfo=UTC)


BY_NAME = {stage.name: stage for stage in STAGES}


def asked(query: str, *terms: str) -> Asked:
    return Asked(query, dict.fromkeys(terms, 1.0), float(len(terms)), shape_of(query), identifiers(query), NOW)


def candidate(
    number: int, text: str, odds: float, *, days: float = 0.0, words: float = 1.0, **payload: Any
) -> Candidate:
    known = (NOW - timedelta(days=days)).isoformat()
    plain = dict.fromkeys(("timestamp", "subject", "agent", "kind"))
    document = {**plain, "known_from": known, "namespace": "default", "source": "", **payload}
    record = Record(UUID(int=number), UUID(int=number), text, document)
    return Candidate(Fused(UUID(int=number), 0.0, {"dense": odds}, {"lexical": words}), record)


def order(names: tuple[str, ...], question: Asked, *candidates: Candidate) -> list[int]:
    fresh = [replace(each, hit=replace(each.hit, parts=dict(each.hit.parts))) for each in candidates]
    found = apply([stage for stage in STAGES if stage.name in names], question, fresh)
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


def test_who_is_asked_about_comes_first_by_label_subject_or_agent() -> None:
    said = candidate(1, "Dana: I sail.", 1.0)
    other = candidate(2, "Mira: Dana sails.", 1.2)
    kept = candidate(3, "Sails.", 1.1, subject="Dana")
    assert order(("speaker",), asked("when does Dana's boat leave?"), other, said, kept) == [3, 1, 2]
    assert order(("speaker",), asked("do Dana and Mira sail?"), other, said, kept) == [2, 3, 1], "two are named"
    assert order(("speaker",), asked("does Danaida sail?"), other, said, kept) == [2, 3, 1], "none is named"


def test_a_text_that_repeats_what_is_asked_is_looked_at_only_so_far() -> None:
    """The places of a name or an identifier are as many as the text is long."""
    said = candidate(1, "a" * 8000 + ": hello", 1.0)
    assert order(("speaker",), asked("a" * 32_000 + " tea"), said) == [1]
    found = apply([BY_NAME["exact_token"]], asked("what is 1a-1a?"), [candidate(1, "1a-" * 90_000, 1.0)])
    assert found[0].parts == {"dense": 1.0}


def test_a_source_that_speaks_of_all_that_is_asked_lifts_its_passages() -> None:
    question = asked("harbour lamp", "harbour", "lamp")
    chance = candidate(1, "harbour", 1.1, source="a")
    apart = candidate(2, "harbour", 1.0, source="b")
    beside = candidate(3, "lamp", 0.5, source="b")
    for found, terms in ((chance, {"harbour"}), (apart, {"harbour"}), (beside, {"lamp"})):
        found.hit.terms, found.hit.coherence = frozenset(terms), 1.0
    assert order(("source",), question, chance, apart, beside) == [2, 1, 3]
    elsewhere = replace(beside, record=replace(beside.record, payload={**beside.record.payload, "namespace": "x"}))
    assert order(("source",), question, chance, apart, elsewhere)[0] == 1, "a namespace has sources of its own"
    for found in (chance, apart, beside):
        found.hit.coherence = 0.0
    assert order(("source",), question, chance, apart, beside)[0] == 1, "a list of unrelated notes supports none"


def test_of_memories_that_match_alike_the_newest_goes_first_and_only_of_those() -> None:
    question = asked("where does Viola live?", "viola", "live")
    old = candidate(1, "Viola lives in Odense.", 1.2, days=90)
    new = candidate(2, "Viola lives in Nantes now.", 1.0, days=1)
    other = candidate(3, "Viola sings.", 1.3, days=0)
    for found, terms in ((old, {"viola", "live"}), (new, {"viola", "live"}), (other, {"viola"})):
        found.hit.terms = frozenset(terms)
    assert order(("newest",), question, old, new, other) == [2, 3, 1]
    assert order((), question, old, new, other) == [3, 1, 2]


def test_a_short_text_and_a_question_sink_a_little() -> None:
    long, short = candidate(1, "tea is served at five in the garden", 1.0), candidate(2, "tea!", 1.1)
    assert order(("substance",), asked("tea"), long, short) == [1, 2]
    asks, says = candidate(3, "Is there tea?", 1.1), candidate(4, "There is tea.", 1.0)
    assert order(("question",), asked("tea"), asks, says) == [4, 3]
    open_question = candidate(5, "Is there tea?", 1.1, kind="open_question")
    assert order(("question",), asked("tea"), open_question, says) == [5, 4]


def test_a_stage_that_is_off_leaves_no_part() -> None:
    hits = apply([], asked("tea"), [candidate(1, "tea", 0.5)])
    assert hits[0].parts == {"dense": 0.5}


def test_switches_differ_from_the_defaults_by_name_only() -> None:
    exact = replace(asked("what is ERR_CONN_42?"), terms={"err_conn_42": 5.0, "mean": 1.0}, information=6.0)
    general = replace(asked("what is it?"), terms={"what": 1.0, "it": 1.0}, information=2.0)
    turned = {stage.name: not stage.default for stage in STAGES}

    def running(switches: dict[str, bool]) -> set[str]:
        return {stage.name for question in (exact, general) for stage in switched_on(switches, question)}

    assert running({}) == {stage.name for stage in STAGES if stage.default}
    assert running(turned) == {stage.name for stage in STAGES if not stage.default}


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
