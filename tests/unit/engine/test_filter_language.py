"""The filter language, before any store has seen it."""

from typing import Any

import pytest

from memory.engine.filters import (
    And,
    AnyOf,
    Equals,
    Exists,
    FilterError,
    Not,
    Or,
    Prefix,
    Range,
    fields_of,
    parse_filters,
)


def test_a_plain_object_is_an_equality_and_several_keys_are_an_and() -> None:
    assert parse_filters({"source": "chat-7"}) == Equals("source", "chat-7")
    assert parse_filters({"source": "s", "kind": "todo"}) == And((Equals("source", "s"), Equals("kind", "todo")))
    assert parse_filters({}) is parse_filters(None) is None


def test_a_bare_key_that_is_no_field_means_metadata() -> None:
    assert parse_filters({"owner": "dana"}) == parse_filters({"metadata.owner": "dana"})
    assert parse_filters({"metadata.source": "x"}) == Equals("metadata.source", "x")
    assert parse_filters({"metadata": 1}) == Equals("metadata.metadata", 1)


def test_every_operator_is_understood() -> None:
    assert parse_filters({"a": {"eq": 1}}) == Equals("metadata.a", 1)
    assert parse_filters({"a": {"ne": 1}}) == Not(Equals("metadata.a", 1))
    assert parse_filters({"a": {"gte": 1, "lt": 2}}) == Range("metadata.a", gte=1.0, lt=2.0)
    assert parse_filters({"a": {"any": ["x", None]}}) == AnyOf("metadata.a", ("x", None))
    assert parse_filters({"a": {"none": []}}) == Not(AnyOf("metadata.a", ()))
    assert parse_filters({"a": {"exists": False}}) == Exists("metadata.a", False)
    assert parse_filters({"a": {"prefix": "x"}}) == Prefix("metadata.a", "x")
    both = parse_filters({"a": {"prefix": "x", "ne": "xy"}})
    assert both == And((Prefix("metadata.a", "x"), Not(Equals("metadata.a", "xy"))))


def test_and_or_and_not_nest() -> None:
    inner = {"or": [{"a": 1}, {"not": {"b": 2}}]}
    assert parse_filters({"and": [inner]}) == And((Or((Equals("metadata.a", 1), Not(Equals("metadata.b", 2)))),))
    assert fields_of(parse_filters({"and": [inner], "source": "s"})) == {"metadata.a", "metadata.b", "source"}


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ([], ()),
        ("x", ()),
        ({"and": {}}, ("and",)),
        ({"or": []}, ("or",)),
        ({"or": [{}]}, ("or", 0)),
        ({"not": []}, ("not",)),
        ({"not": {}}, ("not",)),
        ({"a": {}}, ("a",)),
        ({"a": []}, ("a",)),
        ({"a": {"like": "x%"}}, ("a",)),
        ({"a": {"eq": {"b": 1}}}, ("a", "eq")),
        ({"a": {"any": "x"}}, ("a", "any")),
        ({"a": {"any": [[1]]}}, ("a", "any", 0)),
        ({"a": {"any": ["x"] * 257}}, ("a", "any")),
        ({"a": {"none": None}}, ("a", "none")),
        ({"a": {"exists": "yes"}}, ("a", "exists")),
        ({"a": {"prefix": ""}}, ("a", "prefix")),
        ({"a": {"prefix": "x" * 501}}, ("a", "prefix")),
        ({"a": {"prefix": 7}}, ("a", "prefix")),
        ({"id": {"prefix": "0"}}, ("id", "prefix")),
        ({"offset": {"prefix": "1"}}, ("offset", "prefix")),
        ({"timestamp": {"prefix": "2026"}}, ("timestamp", "prefix")),
        ({"source": {"gte": "a"}}, ("source",)),
        ({"tags": {"lt": 5}}, ("tags",)),
        ({"a": {"gte": 1, "lt": "2026-01-01"}}, ("a",)),
        ({"a": {"gte": True}}, ("a", "gte")),
        ({"a": {"gte": None}}, ("a", "gte")),
        ({"a": {"gte": "yesterday"}}, ("a", "gte")),
        ({"offset": {"gte": "2026-01-01"}}, ("offset",)),
        ({"timestamp": {"gte": 7}}, ("timestamp", "gte")),
        ({"source": 7}, ("source",)),
        ({"source": True}, ("source",)),
        ({"offset": "7"}, ("offset",)),
        ({"offset": True}, ("offset",)),
        ({"timestamp": "yesterday"}, ("timestamp",)),
        ({"timestamp": {"any": ["2026-01-01", "x"]}}, ("timestamp", "any", 1)),
        ({"tags": [7]}, ("tags",)),
        ({"tags": {"any": [7]}}, ("tags", "any", 0)),
        ({"a": 10**400}, ("a",)),
        ({"a": {"any": [1, 10**400]}}, ("a", "any", 1)),
        ({"a": {"gte": 10**400}}, ("a", "gte")),
        ({"offset": -(10**400)}, ("offset",)),
        ({"": 1}, ("",)),
        ({"metadata.": 1}, ("metadata.",)),
        ({"x" * 292: 1}, ("x" * 292,)),
        ({str(n): n for n in range(129)}, ("128",)),
    ],
)
def test_a_fault_names_its_path(raw: Any, path: tuple[str | int, ...]) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filters(raw)
    assert caught.value.path == path
    assert str(caught.value)


def test_depth_ends_at_8() -> None:
    raw: dict[str, Any] = {"a": 1}
    for _ in range(8):
        raw = {"not": raw}
    assert parse_filters(raw)
    with pytest.raises(FilterError):
        parse_filters({"not": raw})
