"""SQL and a plain reading of the filter language agree on random documents and random filters."""

import itertools
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loci.ground.instants import maybe_instant, parse_instant
from memory.engine.filters import And, Equals, parse_filters
from memory.engine.items import Item
from memory.services.lookup import list_memories
from memory.services.remember import remember
from tests.cast import Caller

BUILT_IN = ("subject", "agent", "offset", "confidence", "timestamp", "tags")
NAMES = ["a", "b", "50%", "it's", '"q"', "a.b", "%(tenant)s", "é", "\U0010ffff"]
TEXTS = st.sampled_from(
    ["", "x", "xy", "x\U0010ffff", "x\U0010ffff\U0010ffff", "x%", "x_", "100", "true", "null", "z", "it's", "y" * 500]
    + ["y" * 500 + end for end in ("", "a", "b", "~")]
    + ["2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "2026-06-01T12:00:00", "2026-13-01"]
)
NUMBERS = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, -0.0, 2.0, 1e17, 1e300, 2**53 + 1, 2**63 - 1, -(2**63)]))
SCALARS = st.one_of(TEXTS, NUMBERS, st.booleans(), st.none())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)),
    max_leaves=5,
)
WORDS = TEXTS.filter(bool)
DOCUMENTS = st.fixed_dictionaries(
    {"metadata": st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4)},
    optional={
        "subject": WORDS.filter(lambda text: len(text) <= 256),
        "agent": WORDS.filter(lambda text: len(text) <= 128),
        "offset": st.integers(0, 5),
        "confidence": st.sampled_from([0.0, 0.5, 1.0]),
        "timestamp": st.sampled_from(["2026-01-01T00:00:00Z", "2026-06-01T12:00:00Z"]),
        "tags": st.lists(WORDS.filter(lambda text: len(text) <= 128), max_size=3),
    },
)
PREFIXES = st.sampled_from(["x", "x\U0010ffff", "x%", "y" * 499, "y" * 500, "100", "\U0010ffff"])
RANGES = st.one_of(
    st.dictionaries(st.sampled_from(["gte", "gt", "lte", "lt"]), NUMBERS, min_size=1),
    st.dictionaries(
        st.sampled_from(["gte", "gt", "lte", "lt"]), st.sampled_from(["2026-01-01", "2026-06-01T12:00:00Z"]), min_size=1
    ),
)
FREE = st.one_of(
    SCALARS,
    st.builds(lambda name, value: {name: value}, st.sampled_from(["eq", "ne"]), SCALARS),
    st.builds(lambda name, value: {name: value}, st.sampled_from(["any", "none"]), st.lists(SCALARS, max_size=3)),
    st.builds(lambda value: {"exists": value}, st.booleans()),
    st.builds(lambda value: {"prefix": value}, PREFIXES),
    RANGES,
)


def operators(scalars: Any, *more: Any) -> Any:
    """Conditions on a built-in field that compares with `scalars`."""
    values = st.one_of(scalars, st.none())
    return st.one_of(
        values,
        st.builds(lambda name, value: {name: value}, st.sampled_from(["eq", "ne"]), values),
        st.builds(lambda name, value: {name: value}, st.sampled_from(["any", "none"]), st.lists(values, max_size=3)),
        st.builds(lambda value: {"exists": value}, st.booleans()),
        *more,
    )


TEXT_FIELDS = operators(TEXTS, st.builds(lambda value: {"prefix": value}, PREFIXES))
NUMBER_FIELDS = operators(NUMBERS, st.dictionaries(st.sampled_from(["gte", "gt", "lte", "lt"]), NUMBERS, min_size=1))
MOMENTS = st.sampled_from(["2026-01-01", "2026-06-01T12:00:00Z", "2026-06-01T14:00:00+02:00"])
MOMENT_FIELDS = operators(MOMENTS, st.dictionaries(st.sampled_from(["gte", "gt", "lte", "lt"]), MOMENTS, min_size=1))
CONDITIONS = st.one_of(
    st.builds(
        lambda names, value: {"metadata." + ".".join(names): value},
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
        FREE,
    ),
    st.builds(lambda name, value: {name: value}, st.sampled_from(["subject", "agent", "tags"]), TEXT_FIELDS),
    st.builds(lambda name, value: {name: value}, st.sampled_from(["offset", "confidence"]), NUMBER_FIELDS),
    st.builds(lambda value: {"timestamp": value}, MOMENT_FIELDS),
)
FILTERS = st.recursive(
    CONDITIONS,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"and": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: {"or": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda part: {"not": part}, inner),
    ),
    max_leaves=4,
)


def leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The scalars within a value of metadata, by dotted path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(f"{path}.{key}", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(path, inner)
    else:
        yield path, value


def values(document: dict[str, Any], field: str) -> list[Any]:
    """All values that a document has for a field."""
    if field == "tags":
        return list(document.get("tags", []))
    if field == "offset":
        return [document.get("offset", 0)]
    if field in BUILT_IN:
        return [document[field]] if field in document else []
    return [value for path, value in leaves("metadata", document["metadata"]) if path == field]


def equal(field: str, one: Any, other: Any) -> bool:
    """Equality that keeps booleans, numbers and strings apart; instants compare as such in `timestamp` only."""
    if field == "timestamp":
        return parse_instant(one, naive_is_utc=True) == parse_instant(other, naive_is_utc=True)
    return type_of(one) == type_of(other) and one == other


def type_of(value: Any) -> type:
    return float if type(value) is int else type(value)


def matches(document: dict[str, Any], raw: dict[str, Any]) -> bool:
    """Whether a filter, in its JSON form, keeps a document."""
    return all(entry(document, key, value) for key, value in raw.items())


def entry(document: dict[str, Any], key: str, value: Any) -> bool:
    if key == "and":
        return all(matches(document, part) for part in value)
    if key == "or":
        return any(matches(document, part) for part in value)
    if key == "not":
        return not matches(document, value)
    if not isinstance(value, dict):
        return equals(document, key, value)
    bounds = {name: bound for name, bound in value.items() if name in ("gte", "gt", "lte", "lt")}
    rest = {name: wanted for name, wanted in value.items() if name not in bounds}
    return (not bounds or within(document, key, bounds)) and all(
        operator(document, key, name, wanted) for name, wanted in rest.items()
    )


def equals(document: dict[str, Any], key: str, value: Any) -> bool:
    found = values(document, key)
    if value is None and key in BUILT_IN:
        return not found
    return any(equal(key, one, value) for one in found)


def operator(document: dict[str, Any], key: str, name: str, wanted: Any) -> bool:
    if name in ("eq", "ne"):
        return equals(document, key, wanted) is (name == "eq")
    if name in ("any", "none"):
        return any(equals(document, key, value) for value in wanted) is (name == "any")
    if name == "exists":
        return any(value is not None for value in values(document, key)) is wanted
    return any(isinstance(value, str) and value.startswith(wanted) for value in values(document, key))


def within(document: dict[str, Any], key: str, bounds: dict[str, Any]) -> bool:
    numeric = all(not isinstance(bound, str) for bound in bounds.values())
    return any(inside(value, bounds, numeric) for value in values(document, key))


def inside(value: Any, bounds: dict[str, Any], numeric: bool) -> bool:
    if numeric:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return compared(float(value), {name: float(bound) for name, bound in bounds.items()})
    moment = maybe_instant(value) if isinstance(value, str) and len(value) <= 500 else None
    moments = {name: parse_instant(bound, naive_is_utc=True) for name, bound in bounds.items()}
    return moment is not None and compared(moment, moments)


def compared(value: float | datetime, bounds: dict[str, Any]) -> bool:
    tests = {"gte": "__ge__", "gt": "__gt__", "lte": "__le__", "lt": "__lt__"}
    return all(getattr(value, tests[name])(bound) for name, bound in bounds.items())


def item(at: int, source: str, document: dict[str, Any]) -> Item:
    fields = {
        name: document[name] for name in ("subject", "agent", "offset", "confidence", "metadata") if name in document
    }
    moment = document.get("timestamp")
    return Item(
        index=at,
        text=f"Document {at} of {source}.",
        source=source,
        event_at=parse_instant(moment, naive_is_utc=True) if moment else None,
        tags=tuple(document.get("tags", ())),
        **fields,
    )


RUNS = itertools.count()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=6), filters=st.lists(FILTERS, min_size=1, max_size=6))
def test_sql_agrees_with_a_plain_reading(
    alice: Caller, settings: Any, documents: list[dict[str, Any]], filters: list[dict[str, Any]]
) -> None:
    settings.EMBEDDER = "none"
    source = f"run-{next(RUNS)}"
    outcomes = remember(alice.scope, items=[item(at, source, document) for at, document in enumerate(documents)])
    for raw in filters:
        parsed = parse_filters(raw)
        assert parsed is not None
        page = list_memories(alice.scope, filters=And((Equals("source", source), parsed)))
        found = {record.id for record in page.records}
        expected = {outcome.id for outcome, document in zip(outcomes, documents, strict=True) if matches(document, raw)}
        assert found == expected, (raw, documents)


pytestmark = pytest.mark.usefixtures("no_errors_logged")
