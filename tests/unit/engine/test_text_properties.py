"""What holds for any text."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.engine.text import (
    MAX_QUERY_TERMS,
    analyse,
    detect_language,
    estimate_tokens,
    fixed_windows,
    highlight,
    query_terms,
    tokens,
    windows,
)
from memory.engine.text.charsets import SCAN, SCAN_ASCII
from memory.engine.text.entries import build_entry
from memory.engine.text.normalise import fold, normalise, shorten

PIECES = [
    *(
        ". ",
        "/",
        "-",
        "_",
        "::",
        "@",
        "#",
        "+",
        "'",
        "’",
        ",",
        "\\",
        "&",
        "http://",
        "://ab",
        "C++",
        "'s",
        "n't",
        "...",
    ),
    *("x1", "Ab", "aB", "AB", "42", "2024-05-01T", "10.0.0.1", "é", "e\u0301", "ñ", "ß", "ı", "İ", "ŉ", "ǆ", "ﬁ", "½"),
    *("①", "Straße", "l'été", "שָׁ", "مُحَمَّد", "أ", "ـ", "ﷺ", "й", "ё", "ї", "\u0301", "\u0345", "\u0323", "ᾳ", "Ω"),
    *("\u200d", "\u200c", "\u00ad", "\ufe0f", "漢", "字", "ひ", "か\u3099", "カ", "ｶﾞ", "ー", "가", "ᄀ", "ᅡ", "ᆨ", "ㅎ"),
    *("ไ", "ทำ", "က", "ဦ", "हि", "ढ़", "👍", "🏽", "👩‍💻", "🇩", "🇪", "❤️", "1️⃣", "΅", "≠", "\u037e", "\u212b"),
    *("\ud800", "\0", " ", " ", "the ", "running "),
]
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.text(alphabet="aB1 ._-/:@#+',\\&é", max_size=40),
)
LANGUAGES = st.sampled_from(["en", "de", "fr", "tr", "ru", "ja", "ar", "el", "xx", "", "pt-BR"])


@given(TEXTS, LANGUAGES)
@settings(max_examples=400, deadline=None)
def test_any_text_is_analysed_consistently(text: str, language: str) -> None:
    found = analyse(text, language)
    occurrences = tokens(text, language)
    assert all(0 < len(term) <= 64 and count > 0 for term, count in found.terms.items())
    assert 0 <= found.length <= sum(found.terms.values()) == len(occurrences)
    assert {token.term for token in occurrences} == set(found.terms)
    wanted = query_terms(text, language)
    assert set(wanted) <= set(found.terms)
    assert len(set(wanted)) == len(wanted) <= MAX_QUERY_TERMS
    assert bool(wanted) == bool(found.terms)


@given(TEXTS, LANGUAGES)
@settings(max_examples=200, deadline=None)
def test_spans_are_valid_and_highlights_disjoint(text: str, language: str) -> None:
    for token in tokens(text, language):
        assert 0 <= token.start < token.end <= len(text)
    spans = highlight(text, language, analyse(text, language).terms)
    assert all(a < b for a, b in spans)
    assert all(first[1] < second[0] for first, second in pairwise(spans))


@given(TEXTS, LANGUAGES)
@settings(max_examples=400, deadline=None)
@example("größeÄndern Ärger-Éte.Ü1 İstanbul'da", "de")
@example("か\u3099ー가각 ဦး ทำ", "ja")
def test_composed_and_decomposed_text_have_the_same_terms(text: str, language: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    decomposed = unicodedata.normalize("NFD", text)
    assert analyse(composed, language) == analyse(decomposed, language)
    assert query_terms(composed, language) == query_terms(decomposed, language)


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_normalising_and_folding_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    folded = fold(once)
    assert fold(folded) == folded


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=80), LANGUAGES)
@settings(max_examples=400, deadline=None)
def test_the_ascii_scanner_is_the_full_scanner_on_ascii(text: str, language: str) -> None:
    assert SCAN_ASCII.findall(text) == SCAN.findall(text)


@given(st.text(alphabet=st.characters(max_codepoint=0x24F, categories=["L"]), min_size=1, max_size=12), LANGUAGES)
@settings(max_examples=300, deadline=None)
def test_case_does_not_matter_for_title_case_words(word: str, language: str) -> None:
    lower = build_entry(word.lower(), language).terms
    title = build_entry(word.lower().capitalize(), language).terms
    if word.lower().capitalize().lower() == word.lower() and "ı" not in word.lower():
        assert lower == title


@given(st.text(max_size=200))
@settings(deadline=None)
def test_shortened_terms_are_short_and_keep_short_terms(term: str) -> None:
    assert len(shorten(term)) <= 64
    assert shorten(term) == (term if len(term) <= 64 else shorten(term))
    assert shorten(shorten(term)) == shorten(term)


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_detection_is_deterministic_and_never_fails(text: str) -> None:
    code = detect_language(text, "default")
    assert code == detect_language(text, "default")
    assert code == "default" or (len(code) == 2 and code.islower())


@given(st.text(alphabet="ab .!?\n\u0301漢。é😀\u200d", max_size=300), st.integers(1, 40), st.data())
@settings(max_examples=300, deadline=None)
def test_windows_cover_the_text(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    cut = windows(text, size, overlap)
    assert all(text[at : at + len(window)] == window and 0 < len(window) <= size for at, window in cut)
    end = 0
    for at, window in cut:
        assert end - overlap <= at <= end < at + len(window)
        end = at + len(window)
    assert end == len(text)
    if overlap == 0:
        assert "".join(window for _, window in cut) == text


@given(st.text(max_size=300), st.integers(1, 50))
def test_fixed_windows_drop_only_blank_text(text: str, size: int) -> None:
    kept = dict(fixed_windows(text, size))
    for at in range(0, len(text), size):
        piece = text[at : at + size]
        assert kept.get(at, "") == (piece if piece.strip() else "")


@given(st.text(max_size=100))
def test_a_token_estimate_is_at_least_one(text: str) -> None:
    assert 1 <= estimate_tokens(text) <= max(1, len(text))


@pytest.mark.parametrize("code", range(0, 0x20000, 0x1000))
def test_no_single_character_fails(code: int) -> None:
    for point in range(code, code + 0x1000):
        char = chr(point)
        text = f"a{char}b {char}"
        found = analyse(text, "en")
        assert set(query_terms(text, "en")) <= set(found.terms)
