"""Cutting long text, and estimating tokens."""

from __future__ import annotations

import pytest

from memory.engine.text import estimate_tokens, fixed_windows, windows


def test_short_text_is_one_window_and_empty_text_none() -> None:
    assert windows("short", 100) == [(0, "short")]
    assert windows("exact", 5) == [(0, "exact")]
    assert windows("", 100) == []


BOUNDARIES = [
    ("a paragraph is preferred to a sentence", "First one.\n\nSecond. Third sentence", 22, "First one.\n\n"),
    ("a sentence is preferred to a line", "One is first. then\nmore words", 20, "One is first. "),
    ("a line is preferred to a word", "one line here\nand the next", 20, "one line here\n"),
    ("a word is preferred to a hard cut", "alpha beta gamma delta", 13, "alpha beta "),
    ("a long word is cut hard", "x" * 30, 10, "x" * 10),
    ("a Japanese sentence ends without a space", "今日は晴れ。明日は雨だと思う", 10, "今日は晴れ。"),
    ("a boundary in the first half would waste the window", "a. " + "b" * 40, 20, "a. " + "b" * 17),
    ("closing quotes belong to the sentence", "He said “Go now.” Then left home", 24, "He said “Go now.” "),
]


@pytest.mark.parametrize(("text", "size", "first"), [row[1:] for row in BOUNDARIES], ids=[row[0] for row in BOUNDARIES])
def test_a_window_ends_at_the_best_boundary(text: str, size: int, first: str) -> None:
    cut = windows(text, size)
    assert cut[0] == (0, first)
    assert "".join(window for _, window in cut) == text


def test_a_letter_is_not_parted_from_its_accents_nor_an_emoji_from_its_skin_tone() -> None:
    assert windows("aaaae\u0301bbb", 5) == [(0, "aaaa"), (4, "e\u0301bbb")]
    assert windows("aaaa👍🏽bbb", 5)[0] == (0, "aaaa")
    assert windows("\u0301" * 40, 20)[0] == (0, "\u0301" * 20), "but progress comes first"


def test_overlapping_windows_begin_with_a_word() -> None:
    text = "alpha beta gamma delta epsilon zeta eta theta"
    cut = windows(text, 20, 8)
    expected = ["alpha beta gamma ", "gamma delta epsilon ", "epsilon zeta eta ", "eta theta"]
    assert [window for _, window in cut] == expected
    assert all(at == 0 or text[at - 1] == " " for at, _ in cut)
    assert all(text[at : at + len(window)] == window for at, window in cut)


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 10), (10, -1), (-1, 0)])
def test_senseless_sizes_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="windows"):
        windows("text", size, overlap)


def test_fixed_windows_have_800_characters_and_blank_ones_are_dropped() -> None:
    text = "a" * 800 + " " * 800 + "b" * 10
    assert fixed_windows(text) == [(0, "a" * 800), (1600, "b" * 10)]
    assert fixed_windows("") == []
    with pytest.raises(ValueError, match="fixed_windows"):
        fixed_windows("text", 0)


@pytest.mark.parametrize(
    ("text", "expected"), [("", 1), ("abcd", 1), ("a" * 400, 100), ("漢" * 100, 50), ("a" * 40 + "é" * 10, 15)]
)
def test_token_estimate_counts_four_ascii_or_two_other_characters(text: str, expected: int) -> None:
    assert estimate_tokens(text) == expected
