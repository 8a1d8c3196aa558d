"""Fusion: bounded, fair to arms without a score, and deterministic."""

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.engine.fusion import fuse, reciprocal_ranks, squash, with_floor, z_scores
from memory.engine.lending import links
from memory.engine.types import Link, Neighbour, PoolItem

EVEN = {"dense": 1.0, "lexical": 1.0}
SCORES = st.one_of(st.none(), st.floats(-1e6, 1e6))


def version(number: int) -> UUID:
    return UUID(int=number)


def pool(*scores: tuple[float | None, float | None]) -> list[PoolItem]:
    return [PoolItem(version(at), {"dense": dense, "lexical": words}) for at, (dense, words) in enumerate(scores)]


def order(*scores: tuple[float | None, float | None], neighbours: tuple[Neighbour, ...] = ()) -> list[int]:
    return [hit.version.int for hit in fuse(pool(*scores), links(neighbours), EVEN)]


def test_a_missing_score_is_as_good_as_the_lowest() -> None:
    assert list(z_scores([1.0, None, 3.0])) == [-1.0, -1.0, 1.0]
    assert list(z_scores([2.0, 2.0, None])) == [0.0, 0.0, 0.0]
    assert list(z_scores([None])) == [*z_scores([]), 0.0]


def test_both_arms_count() -> None:
    assert order((0.9, 0.0), (0.9, 5.0), (0.1, 0.0)) == [1, 0, 2]


def test_an_arm_without_weight_does_not_count() -> None:
    hits = fuse(pool((0.1, 9.0), (0.9, 0.0)), [], {"dense": 1.0, "lexical": 0.0})
    assert [hit.version.int for hit in hits] == [1, 0]


def test_a_neighbour_lends_half_its_score_at_each_place_of_distance() -> None:
    near = (Neighbour(version(0), version(1), 1), Neighbour(version(0), version(2), 2))
    hits = {
        hit.version.int: hit.parts
        for hit in fuse(pool((9, 9), (0, 0), (0, 0), (0, 0)), links(near), EVEN, smoothing=1.0)
    }
    own = {at: sum(share for part, share in parts.items() if part != "neighbours") for at, parts in hits.items()}
    assert round(hits[1]["neighbours"], 6) == round(own[0] / 2 + own[2] / 2, 6)
    assert round(hits[2]["neighbours"], 6) == round(own[0] / 4 + own[1] / 2, 6)
    assert "neighbours" not in hits[3]


def test_a_neighbour_outside_the_pool_lends_nothing() -> None:
    assert order((1, 1), (0, 0), neighbours=(Neighbour(version(0), version(99), 1),)) == [0, 1]


def test_equal_scores_keep_the_order_of_versions() -> None:
    assert order(*[(0.5, 0.5)] * 5) == [0, 1, 2, 3, 4]
    assert order() == []


@given(st.lists(st.tuples(SCORES, SCORES), max_size=30))
def test_scores_lie_between_0_and_1_and_the_order_is_theirs(scores: list[tuple[float | None, float | None]]) -> None:
    hits = fuse(pool(*scores), [], EVEN)
    found = [hit.score for hit in hits]
    assert len(hits) == len(scores)
    assert found == sorted(found, reverse=True)
    assert all(0 <= score <= 1 for score in found)


@given(st.floats(allow_nan=False))
def test_squash_stays_between_0_and_1(value: float) -> None:

    assert 0 <= squash(np.array([value]))[0] <= 1


def test_reciprocal_ranks_count_from_1_and_each_version_once() -> None:
    scores = reciprocal_ranks(
        {"a": [version(1), version(2), version(1)], "b": [version(2)], "c": [version(3)]}, {"c": 0}
    )
    assert scores == {version(1): 1 / 61, version(2): 1 / 62 + 1 / 61}


def test_by_rank_the_parts_still_add_up_and_the_order_is_that_of_reciprocal_ranks() -> None:
    rankings = {"dense": [version(2), version(0)], "lexical": [version(2), version(1)]}
    hits = fuse(pool((5, 0), (0, 9), (1, 1)), [], {"dense": 1.0, "lexical": 3.0}, rankings=rankings)
    assert [hit.version.int for hit in hits] == [2, 1, 0]
    for hit in hits:
        assert abs(hit.score - float(squash(np.array([sum(hit.parts.values())]))[0])) < 1e-9


def test_a_floor_takes_the_last_places_and_never_grows_the_list() -> None:
    hits = fuse(pool((0.1, 9), (0.2, 8), (0.3, 7), (0.9, 0), (0.8, 0)), [], {"dense": 1.0, "lexical": 9.0})
    assert [hit.version.int for hit in hits] == [0, 1, 2, 3, 4]
    assert [hit.version.int for hit in with_floor(hits, [version(3)], 3)] == [0, 1, 3]
    assert [hit.version.int for hit in with_floor(hits, [version(3), version(4)], 2)] == [3, 4]
    assert [hit.version.int for hit in with_floor(hits, [version(0)], 3)] == [0, 1, 2]
    assert [hit.version.int for hit in with_floor(hits, [], 9)] == [0, 1, 2, 3, 4]
    assert with_floor([], [version(1)], 3) == []


def test_neighbours_lend_by_how_much_alike_they_are() -> None:
    items = pool((9, 9), (0, 0), (0, 0), (0, 0))

    def lent(likeness: float | None) -> float:
        link = Link(version(0), version(1), 1, likeness)
        (hit,) = (hit for hit in fuse(items, [link], EVEN, alike=(0.1, 0.3)) if hit.version.int == 1)
        return hit.parts.get("neighbours", 0.0)

    assert lent(0.05) == 0.0
    assert lent(0.2) == pytest.approx(lent(0.9) / 2)
    assert lent(None) == lent(0.31) == lent(0.9) > 0


def test_windows_that_overlap_link_each_pair_once() -> None:
    near = [Neighbour(version(5), version(at), at - 5) for at in (3, 4, 6, 7)]
    near += [Neighbour(version(6), version(at), at - 6) for at in (4, 5, 7, 8)]
    found = {(link.left.int, link.right.int): link.distance for link in links(near)}
    assert found == {
        (at, at + gap): gap for at in range(3, 8) for gap in (1, 2) if at + gap <= 8 and (at, gap) != (3, 3)
    }
