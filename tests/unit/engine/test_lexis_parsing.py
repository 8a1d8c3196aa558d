"""The raw query language: what is read, and what is said of what cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.engine.lexis import All, Any, Node, Not, Phrase, QuerySyntaxError, Required, Word, leaves, parse, plan
from memory.engine.lexis.syntax import MAX_DEPTH, MAX_LEAVES, MAX_PARTS, MAX_PHRASE

a, b, c = (Word(letter) for letter in "abc")


def bare(node: Node) -> Node:
    """A tree without places."""
    if isinstance(node, Word):
        return Word(node.text, prefix=node.prefix)
    if isinstance(node, Phrase):
        return Phrase(node.text)
    if isinstance(node, Not):
        return Not(bare(node.part))
    if isinstance(node, All | Any):
        return type(node)(tuple(bare(part) for part in node.parts))
    return node


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("a", a),
        ("a b", All((a, b))),
        ("a AND b", All((a, b))),
        ("a or b", All((a, Word("or"), b))),
        ("a OR b c", Any((a, All((b, c))))),
        ("(a OR b) c", All((Any((a, b)), c))),
        ("a NOT b", All((a, Not(b)))),
        ("a -b", All((a, Not(b)))),
        ("a NOT NOT b", All((a, b))),
        ("a -(b OR c)", All((a, Not(Any((b, c)))))),
        ('a -"b c"', All((a, Not(Phrase("b c"))))),
        ("a-b", Word("a-b")),
        ("wor*", Word("wor", prefix=True)),
        ('"a b"c', All((Phrase("a b"), c))),
        (r'"say \"hi\" C:\dir"', Phrase(r'say "hi" C:\dir')),
        ("東京*", Word("東京", prefix=True)),
        ("  a  ", a),
        ("AND-gate", Word("AND-gate")),
    ],
)
def test_a_query_is_read(query: str, tree: Node) -> None:
    assert bare(parse(query)) == tree


@pytest.mark.parametrize(
    ("query", "position", "fault", "expected"),
    [
        ("", 0, "ends too early", "a word, a phrase"),
        ("a OR", 4, "ends too early", "a word, a phrase"),
        ("a (b", 2, "is not closed", "')' after it"),
        ("a) b", 1, "closes nothing", "'(' before it"),
        ("()", 1, "has nothing before it", "a word, a phrase"),
        ("AND b", 0, "has nothing before it", "a word, a phrase"),
        ("a OR OR b", 5, "has nothing before it", "a word, a phrase"),
        ('a "b', 2, "nothing closes it", "another '\"'"),
        ('"b"*', 3, "follows a phrase", "end a single word"),
        ("a b*c", 3, "inside a word", "end of the word"),
        ("x f*", 2, "too short", "at least 2 characters"),
        ("x ?! y", 2, "nothing to search for", "letters, digits"),
        ('x ""', 2, "nothing to search for", "letters, digits"),
        ("x *", 2, "nothing to search for", "letters, digits"),
        ("-a", 1, "only for what is absent", "must occur beside it"),
        ("a OR NOT b", 9, "only for what is absent", "must occur beside it"),
        ("NOT (a b)", 5, "only for what is absent", "must occur beside it"),
        ("😀 (a", 2, "is not closed", "')' after it"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(query: str, position: int, fault: str, expected: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(query)
    assert (caught.value.position, fault in caught.value.fault, expected in caught.value.expected) == (
        position,
        True,
        True,
    ), str(caught.value)
    assert f"at character {position + 1}: expected " in str(caught.value)


def test_words_and_depth_are_bounded() -> None:
    assert len(list(leaves(parse("a " * MAX_LEAVES)))) == MAX_LEAVES
    with pytest.raises(QuerySyntaxError) as caught:
        parse("a " * (MAX_LEAVES + 1))
    assert caught.value.position == 2 * MAX_LEAVES
    parse("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH)
    with pytest.raises(QuerySyntaxError) as caught:
        parse("(" * 30_000)
    assert caught.value.position == MAX_DEPTH


PIECES = [*'()"-* \\aé食😀', "AND", "OR", "NOT", "foo", "x1.y", "東京", "don't"]
QUERIES = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


@given(QUERIES)
@settings(max_examples=400, deadline=None)
def test_reading_fails_only_with_a_place_in_the_query(query: str) -> None:
    try:
        tree = parse(query)
    except QuerySyntaxError as error:
        assert 0 <= error.position <= len(query)
    else:
        assert 1 <= len(list(leaves(tree))) <= MAX_LEAVES
        assert plan("raw", query, "en") is not None


@given(QUERIES, st.sampled_from(["exact", "keyword"]), st.sampled_from(["en", "fr", "ja"]))
@settings(max_examples=300, deadline=None)
def test_any_text_has_a_plan_or_nothing_to_search_for(query: str, mode: str, language: str) -> None:
    made = plan(mode, query, language)
    if made is not None:
        assert made.atoms


def test_a_query_whose_words_fall_into_too_many_parts_is_refused_with_the_place() -> None:
    within = ",".join(f"z{n}" for n in range(MAX_PARTS))
    made = plan("raw", within, "en")
    assert made is not None and len(made.atoms) == len({*made.atoms}) == MAX_PARTS
    with pytest.raises(QuerySyntaxError, match=f"at character 5: expected at most {MAX_PARTS} of them") as caught:
        plan("raw", f"red {within}", "en")
    assert (caught.value.code, caught.value.position) == ("many", 4)


def test_a_phrase_of_too_many_characters_is_refused_with_the_place() -> None:
    words = "a b " * (MAX_PHRASE // 4)
    assert plan("raw", f'"{words}"', "en")
    with pytest.raises(QuerySyntaxError, match="at character 3: expected at most 1,000 characters") as caught:
        plan("raw", f'x "{words}c"', "en")
    assert caught.value.code == "long"


def test_a_word_that_a_phrase_repeats_is_one_atom() -> None:
    made = plan("exact", "red red red red", "en")
    assert made is not None
    (leaf,) = leaves(made.tree)
    assert isinstance(leaf, Required) and len(leaf.atoms) == len({*leaf.atoms})
