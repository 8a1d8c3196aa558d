"""Terms of documents and queries: tables of examples."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.engine.text import MAX_QUERY_TERMS, Token, analyse, highlight, matched_terms, query_terms, tokens


def terms(text: str, language: str = "en") -> set[str]:
    return set(analyse(text, language).terms)


def finds(query: str, document: str, language: str = "en") -> bool:
    """Whether every query term occurs in the document."""
    wanted = query_terms(query, language)
    return bool(wanted) and set(wanted) <= terms(document, language)


WORDS = [
    ("Running runs", "en", {"run"}),
    ("CATS", "en", {"cat"}),
    ("Häuser", "de", {"haus"}),
    ("Straße STRASSE", "de", {"strass"}),
    ("canciones", "es", {"cancion"}),
    ("книги", "ru", {"книг"}),
    ("ёлка елка", "ru", {"елк"}),
    ("й", "ru", {"й"}),
    ("２０２４ ＡＢＣ", "en", {"2024", "abc"}),
    ("ﬁle", "en", {"file"}),
    ("Łódź", "en", {"lodz"}),
    ("smørrebrød", "en", {"smorrebrod"}),
    ("İstanbul", "en", {"istanbul"}),
    ("IĞDIR", "xx", {"igdir"}),
    ("ığdır", "xx", {"ıgdır"}),
    ("so\u00adft", "en", {"soft"}),
    ("می\u200cخواهم", "he", {"میخو"}),  # Arabic-script words of other languages: Arabic stemmer
    ("שָׁלוֹם", "he", {"שלום"}),
    ("مُحَمَّد", "xx", {"محمد"}),
    ("أحمد احمد", "en", {"احمد"}),
    ("हिन्दी", "xx", {"हिन्द"}),
    ("running", "xx", {"running"}),
    ("running книги", "ja", {"run", "книг"}),
]


@pytest.mark.parametrize(("text", "language", "expected"), WORDS)
def test_words_become_folded_stems_of_the_language_of_their_script(
    text: str, language: str, expected: set[str]
) -> None:
    assert terms(text, language) == expected


APOSTROPHES = [
    ("Alice's", "en", {"alic"}),
    ("Alice’s", "en", {"alic"}),
    ("the dogs'", "en", {"the", "dog"}),
    ("don't", "en", {"don't"}),
    ("I'll", "en", {"i'll"}),
    ("O'Brien", "en", {"obrien"}),
    ("'quoted'", "en", {"quot"}),
    ("l'homme", "fr", {"l", "homm"}),
    ("l’avant-garde", "fr", {"l", "avant-garde", "avant", "gard"}),
    ("dell'arte", "it", {"dell", "arte", "art"}),
    ("Ankara'nın Ankara", "tr", {"ankar"}),
    ("п'ять пʼять п’ять", "uk", {"пят"}),
]


@pytest.mark.parametrize(("text", "language", "expected"), APOSTROPHES)
def test_apostrophes_end_elide_or_vanish_by_language(text: str, language: str, expected: set[str]) -> None:
    got = terms(text, language)
    assert got <= expected and got, got


IDENTIFIERS = [
    ("10.0.0.12", "10.0.0.12", {"10", "0", "12"}),
    ("ERR_CONN_42", "err_conn_42", {"err", "conn", "42"}),
    ("src/a/b.py", "src/a/b.py", {"src", "a", "b", "py"}),
    ("src\\a\\b.py", "src/a/b.py", {"src", "py"}),
    ("C:\\Temp\\x", "c:/temp/x", {"temp"}),
    ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000", {"550e8400", "446655440000"}),
    ("user@example.com", "user@example.com", {"user", "exampl", "com"}),
    ("user+tag@example.com", "user+tag@example.com", {"user", "tag"}),
    ("v2.3.1", "v2.3.1", {"v2", "3", "1"}),
    ("https://Example.com/a/Items?x=1#top", "example.com/a/items?x=1#top", {"exampl", "item", "top"}),
    ("http://localhost:8080/", "localhost:8080", {"localhost", "8080"}),
    ("@handle", "@handle", {"handl"}),
    ("#tag", "#tag", {"tag"}),
    ("#123", "#123", {"123"}),
    ("C++", "c++", {"c"}),
    ("C#", "c#", {"c"}),
    ("foo-bar-7", "foo-bar-7", {"foo", "bar", "7"}),
    ("well-known", "well-known", {"well", "known"}),
    ("camelCaseName", "camelcasename", {"camel", "case", "name", "camelcasenam"}),
    ("HTTPServer", "httpserver", {"http", "server"}),
    ("python3", "python3", {"python", "3"}),
    ("16GB", "16gb", {"16", "gb"}),
    ("2024-05-01", "2024-05-01", {"2024", "05", "01"}),
    ("2024-05-01T12:30:00Z", "2024-05-01t12:30:00z", {"2024-05-01", "12", "30"}),
    ("d41d8cd98f00b204e9800998ecf8427e", "d41d8cd98f00b204e9800998ecf8427e", set()),
    ("deadbeef42", "deadbeef42", set()),
    ("std::vector", "std::vector", {"std", "vector"}),
    ("AT&T", "at&t", {"at", "t"}),
    ("1,000,000", "1,000,000", {"1", "000"}),
    ("/etc/passwd", "etc/passwd", {"etc", "passwd"}),
    ("__init__", "init", set()),
    ("größeÄndern", "großeandern".replace("ß", "ss"), {"gross", "andern"}),
]


@pytest.mark.parametrize(("text", "whole", "parts"), IDENTIFIERS)
def test_identifiers_are_kept_whole_beside_their_parts(text: str, whole: str, parts: set[str]) -> None:
    found = analyse(text, "en")
    assert whole in found.terms
    assert parts <= set(found.terms)
    assert found.length == 1, "an identifier counts as one token"


@pytest.mark.parametrize(
    "frame", ["{}", "see {}.", "({})", "{}, and", "“{}”", "is it {}?", "x={};", "**{}**", "{}:", "{}…"]
)
@pytest.mark.parametrize(("text", "whole"), [(text, whole) for text, whole, _ in IDENTIFIERS])
def test_punctuation_around_an_identifier_is_not_part_of_it(frame: str, text: str, whole: str) -> None:
    assert whole in terms(frame.format(text))


@pytest.mark.parametrize("text", ["wait...what", "yes--no", "a = b", "end. Next", "(one)(two)", "x;y", "«oui»"])
def test_ordinary_punctuation_separates_words(text: str) -> None:
    assert all(term.isalnum() for term in terms(text))


@pytest.mark.parametrize(
    "text", ["", " ", "...", "___", "@", "#", "\0", "\ud800", "\u0301", "\u200d", "🏽", "--", "://"]
)
def test_text_without_letters_digits_and_emoji_has_no_terms(text: str) -> None:
    assert analyse(text, "en").terms == {}
    assert analyse(text, "en").length == 0
    assert query_terms(text, "en") == []


UNSPACED = [
    ("今日は成語しりとりをした", {"今日", "は", "成語", "しり", "りと", "とり", "りを", "をし", "した"}),
    ("猫", {"猫"}),
    ("カタカナ", {"カタ", "タカ", "カナ"}),
    ("ｶﾞｷﾞ", {"ガギ"}),
    ("らーめん", {"らー", "ーめ", "めん"}),
    ("안녕하세요", {"안녕", "녕하", "하세", "세요"}),
    ("ไทย", {"ไท", "ทย"}),
    ("iPhoneの話", {"iphone", "iphon", "i", "phone", "の", "話"}),
    ("葛\U000e0100飾", {"葛飾"}),
    ("ລາວ", {"ລາ", "າວ"}),
]


@pytest.mark.parametrize(("text", "expected"), UNSPACED)
def test_scripts_without_spaces_become_bigrams_within_one_script(text: str, expected: set[str]) -> None:
    assert terms(text, "ja") == expected


def test_a_word_inside_japanese_text_is_found() -> None:
    assert finds("しりとり", "今日は成語しりとりをした", "ja")
    assert not finds("しりもち", "今日は成語しりとりをした", "ja")


EMOJI = [
    ("👍🏿👍", {"👍": 2}),
    ("👩🏽‍💻", {"👩‍💻": 1}),
    ("❤️ ❤", {"❤": 2}),
    ("🇩🇪🇫🇷", {"🇩🇪": 1, "🇫🇷": 1}),
    ("🎉🎉", {"🎉": 2}),
]


@pytest.mark.parametrize(("text", "expected"), EMOJI)
def test_each_emoji_is_a_term_without_skin_tone_and_style(text: str, expected: dict[str, int]) -> None:
    found = analyse(text, "en")
    assert found.terms == expected
    assert found.length == sum(expected.values())


def test_stop_words_are_indexed_but_neither_counted_nor_queried() -> None:
    found = analyse("the cat is on the mat", "en")
    assert found.terms == {"the": 2, "cat": 1, "is": 1, "on": 1, "mat": 1}
    assert found.length == 2
    assert query_terms("the cat is on the mat", "en") == ["cat", "mat"]


@pytest.mark.parametrize("query", ["The Who", "to be or not to be", "it", "Don't"])
def test_a_query_of_stop_words_keeps_them(query: str) -> None:
    assert query_terms(query, "en")
    assert finds(query, f"We listened to {query} yesterday")


FOUND = [
    ("cafe", "ein Café", "de"),
    ("Café", "the cafe", "en"),
    ("preferee", "ma chanson préférée", "fr"),
    ("préférée", "MA CHANSON PRÉFÉRÉE", "fr"),
    ("iphone", "my new iPhone", "en"),
    ("youtube", "seen on YouTube", "en"),
    ("16 GB", "has 16GB memory", "en"),
    ("err conn", "it says ERR_CONN_42.", "en"),
    ("example.com/a", "see https://example.com/a", "en"),
    ("2024-05-01", "at 2024-05-01T12:30:00Z", "en"),
    ("Alice", "this is Alice's bike", "en"),
    ("handle", "ask @handle", "en"),
    ("C++", "I write C++, not C", "en"),
    ("vitamin 7", "vitamin-7", "en"),
    ("running", "runs", "en-GB"),
]


@pytest.mark.parametrize(("query", "document", "language"), FOUND)
def test_a_query_finds_the_other_spelling(query: str, document: str, language: str) -> None:
    assert finds(query, document, language)


def test_language_tags_and_aliases_name_the_same_language() -> None:
    assert analyse("bilene", "nb-NO") == analyse("bilene", "no")
    assert analyse("Häuser", "de_AT") == analyse("Häuser", "DE")


def test_queries_leave_out_parts_of_one_character() -> None:
    assert query_terms("foo-bar-7", "en") == ["foo-bar-7", "foo", "bar"]
    assert query_terms("vitamin c", "en") == ["vitamin", "c"]


def test_query_terms_are_unique_ordered_and_at_most_64() -> None:
    assert query_terms("dog cat dogs CAT bird", "en") == ["dog", "cat", "bird"]
    many = query_terms(" ".join(f"wort{'x' * i}" for i in range(200)), "en")
    assert len(many) == MAX_QUERY_TERMS == 64
    assert many[0] == "wort"


def test_long_terms_have_a_stable_short_form() -> None:
    (term,) = terms("y" * 65, "en")
    assert term == "y" * 40 + "~c3dce0e6b87b0daf"
    (other,) = terms("y" * 66, "en")
    assert other != term and len(other) == 57
    assert terms("y" * 64, "xx") == {"y" * 64}


def test_spans_index_into_the_original_text() -> None:
    text = "Ｆｕｌｌ ﬁles: ERR_CONN_42, ½ 今日は cafe\u0301!"
    spans = {token.term: text[token.start : token.end] for token in tokens(text, "en")}
    assert spans == {
        "full": "Ｆｕｌｌ",
        "file": "ﬁles",
        "err_conn_42": "ERR_CONN_42",
        "err": "ERR",
        "conn": "CONN",
        "42": "42",
        "1⁄2": "½",
        "今日": "今日",
        "は": "は",
        "cafe": "cafe\u0301",
    }
    assert tokens("a dog", "en") == [Token("a", 0, 1), Token("dog", 2, 5)]


def test_spans_of_decomposed_korean_and_kana_cover_whole_clusters() -> None:
    decomposed = "\u1112\u1161\u11ab\u1100\u1173\u11af"  # 한글
    assert tokens(decomposed, "ko") == [Token("한글", 0, 6)]
    assert tokens("ｶﾞｷﾞｸ", "ja") == [Token("ガギ", 0, 4), Token("ギク", 2, 5)]


def test_highlight_merges_overlapping_spans() -> None:
    text = "今日は成語しりとりをした"
    assert highlight(text, "ja", query_terms("しりとり", "ja")) == [(5, 9)]
    text = "See ERR_CONN_42 and the Dogs’ conn."
    spans = highlight(text, "en", query_terms("dog err_conn_42", "en"))
    assert [text[a:b] for a, b in spans] == ["ERR_CONN_42", "Dogs", "conn"]
    assert highlight(text, "en", []) == []


def test_matched_terms_keep_query_order() -> None:
    assert matched_terms("a dog and a cat", "en", ["cat", "bird", "dog", "cat"]) == ["cat", "dog"]


HOSTILE = ["a.", "a", "/", "_", "-", "1", "1,", "😀", "😀\u200d", "\u0301\u0323", "e\u0301", "ﷺ", "aB", "a1", "a'", "@"]
HOSTILE += [
    "://",
    "a://",
    "http://",
    "漢",
    "か\u3099",
    "ᄀ",
    "ส",
    "🇩",
    "\ud800",
    "#",
    "a#",
    "a+",
    "+",
    ":",
    "a:\\",
    "\u200d",
]


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_hostile_repetitions_are_analysed(unit: str, language: str) -> None:
    """Finishes at all: a quadratic step would take minutes at this size."""
    text = "x" + unit * (64 * 1024 // len(unit))
    assert all(len(term) <= 64 for term in analyse(text, language).terms)
    assert len(query_terms(text, language)) <= MAX_QUERY_TERMS


def test_threads_share_nothing_that_breaks_stemming() -> None:
    texts = [f"running{'abcdefgh'[i % 8]} houses{i} quickly nationalités Häuser {i}" for i in range(400)]
    alone = [analyse(text, language) for text in texts for language in ("en", "de", "fr")]
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(analyse, text, language) for text in texts for language in ("en", "de", "fr")]
    assert [job.result() for job in jobs] == alone
