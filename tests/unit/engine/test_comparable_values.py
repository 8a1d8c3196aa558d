"""How values of metadata are written down for comparison."""

import json

from hypothesis import given
from hypothesis import strategies as st

from memory.engine.values import MAX_ROWS, WHOLE, after_prefix, comparable, flatten


def test_types_never_equal_each_other() -> None:
    texts = [comparable(value).text for value in (1, "1", True, "true", None, "", "z", "None", 1.5)]
    assert len(set(texts)) == len(texts)


def test_a_whole_float_equals_its_integer() -> None:
    assert comparable(3.0) == comparable(3)
    assert comparable(-0.0).text == comparable(0).text
    assert comparable(1e17).text == comparable(10**17).text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_written_alike_after_jsonb_has_unfolded_its_exponent(value: float) -> None:
    from decimal import Decimal

    unfolded = json.loads(format(Decimal(repr(value)), "f"))
    assert comparable(unfolded).text == comparable(value).text


def test_strings_over_500_characters_differ_by_their_ends() -> None:
    one, other = "x" * 500 + "a", "x" * 500 + "b"
    assert comparable(one) != comparable(other)
    assert comparable(one).text[: WHOLE + 2] == comparable("x" * WHOLE).text
    assert len(comparable("x" * 100_000).text) < 600


def test_only_what_looks_like_an_instant_is_one() -> None:
    assert comparable("2026-03-20").moment and comparable("2026-03-20T10:00:00+01:00").moment
    assert not any(comparable(text).moment for text in ("2026", "20260320", "2026-13-01", "on 2026-03-20", ""))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1), st.text(), st.text())
def test_after_prefix_parts_what_begins_with_it_from_the_rest(prefix: str, rest: str, other: str) -> None:
    end = after_prefix(prefix)
    assert end is None or prefix + rest < end
    if prefix <= other and (end is None or other < end):
        assert other.startswith(prefix)


def test_after_prefix_passes_over_surrogates_and_the_last_code_point() -> None:
    assert after_prefix("a\ud7ff") == "a\ue000"
    assert after_prefix("a\U0010ffff") == "b"
    assert after_prefix("\U0010ffff") is None


def test_nested_objects_flatten_to_dotted_paths_and_lists_to_elements() -> None:
    rows = flatten({"a": {"b": [1, [2, {"c": True}]]}, "d": [], "e": {}, "f": None}, ["x", "y"])
    assert [(field, ordinal, value.text) for field, ordinal, value in rows] == [
        ("tags", 0, "s:x"),
        ("tags", 1, "s:y"),
        ("metadata.f", 0, "z"),
        ("metadata.a.b", 0, "n:1"),
        ("metadata.a.b", 1, "n:2"),
        ("metadata.a.b.c", 0, "b:true"),
    ]


def test_paths_too_long_for_an_index_row_are_left_out() -> None:
    assert flatten({"k" * 292: 1, "字" * 164: 1}, []) == []
    assert len(flatten({"k" * 291: 1, "字" * 163: 1}, [])) == 2
    assert len(flatten({"a": list(range(1000))}, [])) == MAX_ROWS
