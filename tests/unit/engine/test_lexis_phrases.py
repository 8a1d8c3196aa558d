"""Phrases: what stands in a text, and that the words looked for first are words of every text that holds the phrase."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.engine.lexis import Required, leaves, plan
from memory.engine.text import analyse
from memory.engine.text.written import flat, stands_in

PIECES = [
    "running", "the", "Häuser", "l'homme", "Alice's", "ERR_CONN_42", "www.example.com", "foo-bar", "camelCase",
    "python3", "1,000", "C++", "@handle", "#tag", "https://a.b/c?d=e", "東京", "タワー", "の", "食", "べる", "성공",
    "مرحبا", "книги", "cafe\u0301", "2024-05-01T10:00", "don't", "x", "ſ", "ﬁn", "🎉", "NASA", "v2", "0xff", "/usr/bin",
    "a_b",
]  # fmt: skip
GAPS = [" ", "  ", "\n", ", ", ". ", "", "-", "/", " (", ") "]
TEXTS = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), min_size=1, max_size=9).map(
    lambda pairs: "".join(piece + gap for piece, gap in pairs)
)
LANGUAGES = st.sampled_from(["en", "de", "fr", "tr", "ru", "ja", "xx"])


@pytest.mark.parametrize(
    ("phrase", "text", "stands"),
    [
        ("the CAT", "See: The  cat\nsat.", True),
        ("cat", "concatenate", False),
        ("cat", "cat's", True),
        ("don", "don't", False),
        ("art", "l'art", True),
        ("clock", "o'clock", False),
        ("cat", "a 'cat' sat", True),
        ("cafe creme", "Un CAFÉ crème", True),
        ("strasse", "Straße", True),
        ("語しり", "成語しりとり", True),
        ("conn_42", "err_conn_42", True),
        ("onn_42", "err_conn_42", False),
        ("example.com", "https://www.example.com/x", True),
        ("foo bar", "foo, bar", False),
        ("ＡＢＣ", "abc", True),
        ("C:\\dir", "in C:\\Dir now", True),
    ],
)
def test_a_phrase_stands_in_a_text(phrase: str, text: str, stands: bool) -> None:
    assert stands_in(flat(phrase), flat(text)) is stands


def test_an_open_end_may_be_inside_a_word() -> None:
    assert stands_in("running wat", "running water", open_end=True)
    assert not stands_in("unning wat", "running water", open_end=True)


def _cuts(text: str) -> list[int]:
    """Where letters and signs meet."""
    inner = [at for at in range(1, len(text)) if text[at - 1].isalnum() != text[at].isalnum() or text[at] > "\u2e80"]
    return [0, *inner, len(text)]


@given(TEXTS, LANGUAGES, LANGUAGES, st.integers(0, 99), st.integers(0, 99))
@example("www.example.com", "en", "en", 2, 99)
@settings(max_examples=1500, deadline=None)
def test_every_text_with_a_phrase_has_the_words_that_are_looked_for(
    text: str, written_in: str, asked_in: str, first: int, last: int
) -> None:
    cuts = _cuts(text)
    start, end = sorted((cuts[first % len(cuts)], cuts[last % len(cuts)]))
    phrase = text[start:end]
    made = plan("exact", phrase, asked_in)
    if made is None or not stands_in(flat(phrase), flat(text)):
        return
    held = set(analyse(text, written_in).pairs())
    words, terms = {word for word, _ in held}, {term for _, term in held}
    for leaf in leaves(made.tree):
        assert isinstance(leaf, Required)
        for number in leaf.atoms:
            atom = made.atoms[number]
            there = words & {*atom.words} or terms & {*atom.terms}
            if atom.character:
                there = {word for word in words if word[0] == atom.character or word[1:] == atom.character}
            assert there, (phrase, atom, sorted(held))


class Counted(str):
    """A text that counts how often it is searched."""

    searches = 0

    def find(self, *given: object) -> int:
        self.searches += 1
        return super().find(*given)  # type: ignore[arg-type]


def test_a_text_of_one_long_word_is_searched_once_for_what_begins_inside_it() -> None:
    text = Counted("x" + "a" * 30_000 + " b")
    assert not stands_in("a" * 500, text)
    assert text.searches <= 2
    assert stands_in("aa", Counted("aaa東aa東aaa"))
    assert stands_in("aa", "aaa aa")
