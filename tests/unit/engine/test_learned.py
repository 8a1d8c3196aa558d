"""Stages that go by what use has taught: bounded, off by default, and without the faults of the seed's."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memory.engine.fusion import fuse
from memory.engine.shape import shape_of
from memory.engine.stages import MOST, STAGES, Asked, Candidate, apply, switched_on
from memory.engine.stages.learned import COUNT, IDLE, LEANING, LEARNED, SHOWN, leaning
from memory.engine.types import Fused, PoolItem, Record

NOW = datetime(2026, 11, 30, tzinfo=UTC)
QUESTION = Asked("tea", {"tea": 1.0}, 1.0, shape_of("tea"), (), NOW)
BY_NAME = {stage.name: stage for stage in STAGES}


def candidate(number: int, odds: float = 1.0, *, days: float | None = 0.0, **signals: float) -> Candidate:
    happened = None if days is None else (NOW - timedelta(days=days)).isoformat()
    plain = dict.fromkeys(("subject", "agent", "kind"))
    document = {**plain, "timestamp": happened, "known_from": NOW.isoformat(), "namespace": "default", "source": ""}
    record = Record(UUID(int=number), UUID(int=number), "tea", document)
    return Candidate(Fused(UUID(int=number), 0.0, {"dense": odds}, {"lexical": 1.0}), record, signals)


def nudge(name: str, one: Candidate, asked: Asked = QUESTION) -> float:
    return round(BY_NAME[name].nudges(asked, [one])[0], 3)


def test_none_of_them_runs_unless_it_is_switched_on() -> None:
    assert not set(LEARNED) & {stage.name for stage in switched_on({}, QUESTION)}
    assert set(LEARNED) <= {stage.name for stage in switched_on(dict.fromkeys(LEARNED, True), QUESTION)}


def test_what_is_used_often_and_lately_rises_up_to_the_ceiling() -> None:
    found = [nudge("access_bonus", candidate(1, **{COUNT: count, IDLE: 0.0})) for count in (0.0, 1.0, 10.0, 5000.0)]
    assert found == [0.0, 0.078, 0.223, 0.223]
    assert nudge("access_bonus", candidate(1, **{COUNT: 10.0, IDLE: 30.0})) == 0.118
    wide = Asked("tea", {"tea": 1.0}, 1.0, "general", (), NOW, access_bonus=1.0)
    assert nudge("access_bonus", candidate(1, **{COUNT: 10.0, IDLE: 0.0}), wide) == 0.693
    none = Asked("tea", {"tea": 1.0}, 1.0, "general", (), NOW, access_bonus=0.0)
    assert not BY_NAME["access_bonus"].applies(none)


def test_what_was_shown_again_and_again_gives_way() -> None:
    assert [nudge("inhibition_of_return", candidate(1, **{SHOWN: times})) for times in (0.0, 2.0, 90.0)] == [
        0.0, -0.2, -0.5,
    ]  # fmt: skip


def test_curiosity_is_for_what_is_old_and_was_hardly_shown() -> None:
    assert nudge("curiosity", candidate(1, days=8)) == 0.25
    assert nudge("curiosity", candidate(1, days=1)) == 0.0
    assert nudge("curiosity", candidate(1, days=None)) == 0.125
    assert nudge("curiosity", candidate(1, days=8, **{SHOWN: 3.0})) == 0.0


def test_arms_that_nobody_judged_move_nothing() -> None:
    """The seed gives every fresh arm the same bonus, which is a constant."""
    arms = ("dense", "lexical")
    assert leaning(["dense"], arms, {}) == leaning(arms, arms, {}) == 0.0
    assert leaning(["dense"], arms, {"dense": (0.9, 50), "lexical": (0.9, 50)}) == 0.0


def test_only_the_difference_between_arms_counts_and_trust_grows_with_feedback() -> None:
    arms = ("dense", "lexical")
    once = leaning(["dense"], arms, {"dense": (0.575, 1)})
    often = leaning(["dense"], arms, {"dense": (0.9, 40)})
    assert 0 < once < 0.01 < often < 0.2
    assert leaning(["lexical"], arms, {"dense": (0.9, 40)}) == pytest.approx(-often)
    assert leaning(arms, arms, {"dense": (0.9, 40)}) == 0.0
    assert leaning([], arms, {"dense": (0.9, 40)}) == 0.0


def test_an_old_memory_that_three_arms_have_first_stays_above_a_fresh_one_that_one_arm_has_last() -> None:
    """The seed adds constants that are larger than all relevance, so that this order was turned around."""
    match, noise = UUID(int=1), UUID(int=2)
    crowd = [UUID(int=number) for number in range(3, 33)]
    pool = [PoolItem(match, {"dense": 0.9, "lexical": 12.0, "temporal": 1.0})]
    pool += [PoolItem(one, {"dense": 0.5 - at / 100, "lexical": 3.0, "temporal": 0.4}) for at, one in enumerate(crowd)]
    pool += [PoolItem(noise, {"dense": 0.1, "lexical": 0.0, "temporal": 0.0})]
    rankings = {arm: [match, *crowd] for arm in ("dense", "lexical", "temporal")} | {"dense": [match, *crowd, noise]}
    for ranked in (None, rankings):
        fused = {hit.version: hit for hit in fuse(pool, [], dict.fromkeys(rankings, 1.0), rankings=ranked)}
        old = Candidate(fused[match], candidate(1, days=200).record, {SHOWN: 9.0, LEANING: -0.4})
        new = Candidate(fused[noise], candidate(2, days=0).record, {COUNT: 9.0, LEANING: 0.4})
        every = switched_on(dict.fromkeys(BY_NAME, True), QUESTION)
        assert [hit.version for hit in apply(every, QUESTION, [new, old])] == [match, noise]


@pytest.mark.parametrize("large", [1.0, 1e3, 1e9])
@pytest.mark.parametrize("lean", [-1.0, 1.0])
@pytest.mark.parametrize("ceiling", [0.0, 0.5, 1.0, 7.0])
def test_no_signal_moves_a_result_out_of_bounds(large: float, lean: float, ceiling: float) -> None:
    asked = Asked("tea", {"tea": 1.0}, 1.0, "general", (), NOW, access_bonus=ceiling)
    signals = {COUNT: large, SHOWN: large, LEANING: lean}
    found = [candidate(at, days=30, **{**signals, IDLE: idle}) for at, idle in enumerate((-large, 0.0, large))]
    for name in LEARNED:
        assert all(abs(moved) <= MOST for moved in BY_NAME[name].nudges(asked, found))
