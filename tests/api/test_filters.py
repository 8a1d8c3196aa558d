"""Filters through the REST door: every operator on every kind of field."""

from typing import Any

import pytest

from tests.api.answers import problem
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")

NOTES: dict[str, dict[str, Any]] = {
    "lamp": {
        "source": "docs/a%b.md",
        "offset": 0,
        "timestamp": "2026-01-01T00:00:00Z",
        "tags": ["red", "green"],
        "kind": "todo",
        "agent": "ada",
        "subject": "Dana O'Neil",
        "confidence": 0.5,
        "metadata": {
            "amount": 100,
            "flag": True,
            "gone": None,
            "owner": {"name": "dana", "since": "2025-06-01"},
            "list": ["x", 1, False, None],
            "50%": "it's",
            "and": "word",
        },
    },
    "chair": {
        "source": "docs/b.md",
        "offset": 5,
        "timestamp": "2026-02-01T00:00:00+01:00",
        "tags": ["green"],
        "kind": "fact",
        "metadata": {"amount": 100.5, "flag": "true", "owner": "dana", "list": [], "long": "y" * 600 + "1"},
    },
    "table": {
        "offset": 7,
        "namespace": "attic",
        "metadata": {"amount": "100", "flag": 1, "owner": {"name": "bob"}, "long": "y" * 600 + "2"},
    },
}


@pytest.fixture
def house(alice: Caller) -> Caller:
    for name, fields in NOTES.items():
        alice.remember(f"There is a {name} in the house.", **fields)
    return alice


def named(caller: Caller, filters: dict[str, Any], **fields: Any) -> set[str]:
    return {text.split()[3] for text in caller.found("What is in the house?", filters=filters, **fields)}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"source": "docs/b.md"}, "chair"),
        ({"source": {"eq": "docs/b.md"}}, "chair"),
        ({"source": {"ne": "docs/b.md"}}, "lamp table"),
        ({"source": {"prefix": "docs/"}}, "lamp chair"),
        ({"source": {"prefix": "docs/a%b"}}, "lamp"),
        ({"source": {"prefix": "docs/a_"}}, ""),
        ({"source": {"prefix": "docs/%"}}, ""),
        ({"source": {"exists": True}}, "lamp chair"),
        ({"source": {"exists": False}}, "table"),
        ({"source": None}, "table"),
        ({"source": {"any": ["docs/b.md", "elsewhere", None]}}, "chair table"),
        ({"namespace": "attic"}, "table"),
        ({"namespace": {"none": ["attic"]}}, "lamp chair"),
        ({"kind": {"any": ["todo", "fact"]}}, "lamp chair"),
        ({"kind": {"none": ["todo"]}}, "chair table"),
        ({"kind": None}, "table"),
        ({"tier": "chunk"}, "lamp chair table"),
        ({"key": {"exists": True}}, ""),
        ({"agent": "ada"}, "lamp"),
        ({"subject": "Dana O'Neil"}, "lamp"),
        ({"subject": {"prefix": "Dana O'"}}, "lamp"),
        ({"language": "en"}, "lamp chair table"),
        ({"offset": 5}, "chair"),
        ({"offset": 5.0}, "chair"),
        ({"offset": 5.5}, ""),
        ({"offset": 10**30}, ""),
        ({"offset": {"gt": 0, "lte": 7}}, "chair table"),
        ({"offset": {"any": [0, 7]}}, "lamp table"),
        ({"offset": {"lt": 1e300}}, "lamp chair table"),
        ({"confidence": 0.5}, "lamp"),
        ({"confidence": {"gte": 0.5}}, "lamp"),
        ({"confidence": {"exists": False}}, "chair table"),
        ({"timestamp": "2026-01-31T23:00:00Z"}, "chair"),
        ({"timestamp": {"lt": "2026-01-31T23:00:00Z"}}, "lamp"),
        ({"timestamp": {"gte": "2026-01-01", "lte": "2026-02-01"}}, "lamp chair"),
        ({"timestamp": {"exists": False}}, "table"),
        ({"event_at": None}, "table"),
        ({"indexed_at": {"exists": True}}, "lamp chair table"),
        ({"known_from": {"gt": "2020-01-01"}}, "lamp chair table"),
        ({"invalidated_at": {"exists": True}}, ""),
        ({"valid_to": None}, "lamp chair table"),
        ({"id": "nonsense"}, ""),
        ({"tags": "green"}, "lamp chair"),
        ({"tags": {"any": ["red", "blue"]}}, "lamp"),
        ({"tags": {"none": ["red", "blue"]}}, "chair table"),
        ({"tags": {"exists": True}}, "lamp chair"),
        ({"tags": None}, "table"),
        ({"tags": {"any": ["red", None]}}, "lamp table"),
        ({"tags": {"prefix": "gr"}}, "lamp chair"),
        ({"and": [{"tags": "red"}, {"tags": "green"}]}, "lamp"),
        ({"amount": 100}, "lamp"),
        ({"amount": 100.0}, "lamp"),
        ({"amount": "100"}, "table"),
        ({"amount": {"gte": 100, "lt": 100.5}}, "lamp"),
        ({"amount": {"gt": 100}}, "chair"),
        ({"amount": {"any": [100, "100"]}}, "lamp table"),
        ({"flag": True}, "lamp"),
        ({"flag": "true"}, "chair"),
        ({"flag": 1}, "table"),
        ({"flag": {"ne": True}}, "chair table"),
        ({"gone": None}, "lamp"),
        ({"gone": {"exists": True}}, ""),
        ({"gone": {"exists": False}}, "lamp chair table"),
        ({"owner": "dana"}, "chair"),
        ({"owner.name": "dana"}, "lamp"),
        ({"metadata.owner.name": {"prefix": "b"}}, "table"),
        ({"owner.since": {"gte": "2025-06-01T01:00:00+02:00"}}, "lamp"),
        ({"owner.since": {"lt": "2025-06-01"}}, ""),
        ({"list": "x"}, "lamp"),
        ({"list": 1}, "lamp"),
        ({"list": False}, "lamp"),
        ({"list": None}, "lamp"),
        ({"list": {"any": ["x", "y"]}}, "lamp"),
        ({"list": {"none": ["x"]}}, "chair table"),
        ({"list": {"exists": False}}, "chair table"),
        ({"50%": "it's"}, "lamp"),
        ({"50%": {"prefix": "it'"}}, "lamp"),
        ({"metadata.and": "word"}, "lamp"),
        ({"long": "y" * 600 + "2"}, "table"),
        ({"long": {"prefix": "y" * 500}}, "chair table"),
        ({"long": {"prefix": "y" * 499 + "z"}}, ""),
        ({"or": [{"kind": "todo"}, {"namespace": "attic"}]}, "lamp table"),
        ({"not": {"or": [{"kind": "todo"}, {"namespace": "attic"}]}}, "chair"),
        ({"not": {"confidence": {"gt": 0.1}}}, "chair table"),
        ({"kind": "todo", "tags": "red", "not": {"tags": "blue"}}, "lamp"),
        ({}, "lamp chair table"),
    ],
)
def test_a_filter_keeps_what_it_says(house: Caller, filters: dict[str, Any], expected: str) -> None:
    assert named(house, filters) == set(expected.split())


def test_an_id_can_be_filtered_by(house: Caller) -> None:
    ids = {hit["text"].split()[3]: hit["id"] for hit in house.recall("house")["results"]}
    assert named(house, {"id": ids["lamp"]}) == {"lamp"}
    assert named(house, {"id": {"any": [ids["lamp"].upper(), ids["table"], "x"]}}) == {"lamp", "table"}


def test_an_empty_any_finds_nothing_and_an_empty_none_everything(house: Caller) -> None:
    for field in ("source", "tags", "amount"):
        assert named(house, {field: {"any": []}}) == set()
        assert named(house, {field: {"none": []}}) == set(NOTES)


@pytest.mark.parametrize("rest", ["", "\U0010ffff", "\U0010ffff\U0010ffff", "\ud7ff", "\ue000", "%", "_"])
def test_a_prefix_may_be_followed_by_anything(alice: Caller, rest: str) -> None:
    text = f"x{rest}"
    alice.remember("Yes.", source=text, tags=[text], subject=text, metadata={"a": text})
    alice.remember("No.", source="y", tags=["y"], subject="w", metadata={"a": "X"})
    for field in ("source", "tags", "subject", "a"):
        for prefix in ("x", text):
            assert alice.found("yes", filters={field: {"prefix": prefix}}) == ["Yes."], (field, prefix)


def test_none_also_matches_where_the_field_is_absent(house: Caller) -> None:
    assert named(house, {"amount": {"none": [100]}}) == {"chair", "table"}
    assert named(house, {"50%": {"none": ["it's"]}}) == {"chair", "table"}


def test_a_key_that_no_memory_has_is_noted_once(house: Caller) -> None:
    answer = house.recall("house", filters={"colour": "red"})
    assert (answer["results"], answer["notes"]) == ([], ["filter:unknown_key:colour"])
    answer = house.recall(
        "house", filters={"or": [{"metadata.colour": 1}, {"colour": 2}, {"size": 3}, {"amount": 100}]}
    )
    assert answer["notes"] == ["filter:unknown_key:colour", "filter:unknown_key:size"]
    assert len(answer["results"]) == 1
    assert house.recall("house", filters={"gone": {"exists": True}})["notes"] == []


def test_another_tenants_keys_are_unknown(house: Caller, charlie: Caller) -> None:
    charlie.remember("Here.", metadata={"mine": 1})
    assert charlie.recall("here", filters={"amount": 100})["notes"] == ["filter:unknown_key:amount"]


def test_a_key_that_only_an_earlier_version_had_is_unknown(alice: Caller) -> None:
    (memory,) = alice.remember("The lamp is here.", metadata={"colour": "red"})
    alice.call("PATCH", f"memories/{memory}", {"metadata": {"colour": None}})
    assert alice.recall("lamp", filters={"colour": "red"})["notes"] == ["filter:unknown_key:colour"]


def test_a_key_that_a_retracted_memory_has_is_known(alice: Caller) -> None:
    (memory,) = alice.remember("The lamp is here.", metadata={"colour": "red"})
    alice.post("invalidate", {"ids": [memory]})
    assert alice.recall("lamp", filters={"colour": "red"})["notes"] == []
    assert alice.recall("lamp", filters={"colour": "red"}, include_invalidated=True)["notes"] == []


def test_a_narrowed_key_learns_nothing_of_what_left_its_reach(alice: Caller) -> None:
    narrowed = alice.with_key(filters={"team": "red"})
    (memory,) = alice.remember("The lamp is here.", metadata={"team": "red", "salary": 1})
    assert narrowed.recall("lamp", filters={"salary": 1})["notes"] == []
    alice.call("PATCH", f"memories/{memory}", {"metadata": {"team": "blue"}})
    assert narrowed.recall("lamp", filters={"salary": 1})["notes"] == ["filter:unknown_key:salary"]
    assert narrowed.recall("lamp", filters={"salary": 1}, as_of="2026-01-01")["notes"] == ["filter:unknown_key:salary"]
    assert alice.recall("lamp", filters={"salary": 1})["notes"] == []


@pytest.mark.parametrize(
    ("field", "bounds"),
    [
        ("timestamp", {"gte": "2026-02-01", "lt": "2026-01-01"}),
        ("timestamp", {"gte": "2026-02-01", "lt": "2026-02-01"}),
        ("offset", {"gt": 5, "lte": 5}),
        ("metadata.amount", {"gte": 2, "gt": 0, "lte": 1}),
    ],
)
def test_a_range_that_ends_before_it_begins_finds_nothing_and_says_so(
    house: Caller, field: str, bounds: dict[str, Any]
) -> None:
    answer = house.recall("house", filters={field: bounds})
    assert (answer["results"], answer["notes"]) == ([], [f"filter:empty_range:{field}"])


def test_a_range_of_a_single_value_is_none_that_is_empty(house: Caller) -> None:
    assert house.recall("house", filters={"offset": {"gte": 0, "lte": 0}})["notes"] == []


@pytest.mark.parametrize(
    ("filters", "pointer"),
    [
        ({"source": {"like": "x"}}, "/filters/source"),
        ({"source": {"$gt": 1}}, "/filters/source"),
        ({"amount": {"any": "x"}}, "/filters/amount/any"),
        ({"amount": {"gte": 10**400}}, "/filters/amount/gte"),
        ({"amount": 10**400}, "/filters/amount"),
        ({"or": [{"kind": "todo"}, {"timestamp": "soon"}]}, "/filters/or/1/timestamp"),
        ({"and": [{"not": {"a/b~": {"exists": 1}}}]}, "/filters/and/0/not/a~1b~0/exists"),
        ({"offset": "5"}, "/filters/offset"),
        ({"id": {"prefix": "0"}}, "/filters/id/prefix"),
        ({"": 1}, "/filters/"),
    ],
)
def test_a_filter_that_cannot_be_understood_names_its_path(
    alice: Caller, filters: dict[str, Any], pointer: str
) -> None:
    problem(alice.post("recall", {"query": "x", "filters": filters}), 422, "invalid_request", pointer)


def test_a_filter_holds_inside_every_arm_before_its_limit(alice: Caller) -> None:
    for start in range(0, 128, 64):
        alice.remember(*[f"The ledger of day {start + n}." for n in range(64)], metadata={"kept": False})
    alice.remember("A ledger, at last, among other things of less weight.", metadata={"kept": True})
    assert len(alice.found("ledger of the day", limit=1, filters={"kept": True})) == 1
