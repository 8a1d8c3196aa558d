"""Misspelt words: any single edit is found and judged alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.engine.lexis import best, grams, probes
from memory.engine.lexis.spelling import distance, likeness
from tests.unit.engine.typos import single_edits

WORDS = st.text(alphabet="abcdeéöжка", min_size=5, max_size=20)


@settings(deadline=None)
@given(WORDS, st.sampled_from("xaк"))
def test_a_word_is_looked_for_by_a_trigram_that_a_single_edit_left_and_is_alike(word: str, other: str) -> None:
    for typo in single_edits(word, other):
        assert probes(typo) & grams(word), typo
        assert likeness(typo, word) > 0, typo


def _table(one: str, other: str) -> int:
    """Edits by the textbook."""
    row = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            row[i, j] = min(row[i - 1, j] + 1, row[i, j - 1] + 1, row[i - 1, j - 1] + (one[i - 1] != other[j - 1]))
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                row[i, j] = min(row[i, j], row[i - 2, j - 2] + 1)
    return row[len(one), len(other)]


SHORT = st.text(alphabet="abc", max_size=7)


@settings(deadline=None)
@given(SHORT, SHORT, st.integers(0, 2))
def test_edits_are_counted_as_by_the_textbook(one: str, other: str, most: int) -> None:
    assert distance(one, other, most) == min(_table(one, other), most + 1)


def test_the_most_alike_come_first() -> None:
    assert list(best("kubernets", ["kubernetes", "cabernets", "kubernets", "harbour"])) == [
        "kubernets",
        "kubernetes",
        "cabernets",
    ]


@pytest.mark.parametrize("word", ["ab", "20240501", "d41d8cd98f00", "a" * 33, "字", "語し語"])
def test_numbers_and_what_is_too_short_or_long_are_never_taken_for_others(word: str) -> None:
    assert grams(word) == set()


LONG = st.text(alphabet="ab", min_size=7, max_size=12)


@settings(deadline=None)
@given(LONG, LONG)
def test_edits_of_long_words_are_counted_as_by_the_textbook(one: str, other: str) -> None:
    assert distance(one, other, 2) == min(_table(one, other), 3)
