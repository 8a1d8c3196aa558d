"""What each key may see, worked out anew in plain Python: a dict of who wrote what, and the rules of the design."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.isolation.shapes import Shape

COLUMNS = ("source", "namespace", "kind", "agent", "offset", "timestamp", "id")
ORDER = {"gte": "ge", "gt": "gt", "lte": "le", "lt": "lt"}


def moment(text: str | None) -> datetime | None:
    """An ISO text as an instant in UTC."""
    if text is None:
        return None
    parsed = datetime.fromisoformat(text)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Fact:
    """One version of a memory."""

    id: str
    text: str
    namespace: str
    source: str
    offset: int
    metadata: Mapping[str, Any]
    tags: Sequence[str]
    agent: str | None
    kind: str | None
    timestamp: str | None
    valid_from: str | None = None
    valid_to: str | None = None
    believed: bool = True
    retracted: bool = False


@dataclass(frozen=True)
class Look:
    """From where a recall looks."""

    as_of: str | None = None
    include_invalidated: bool = False


def reaches(shape: Shape, fact: Fact) -> bool:
    """Whether a version lies within the key's narrowing."""
    return (
        ("*" in shape.namespaces or fact.namespace in shape.namespaces)
        and shape.agent in ("*", fact.agent)
        and all(any(_same(value, one) for one in _elements(fact, key)) for key, value in shape.filters.items())
    )


def shows(look: Look, fact: Fact) -> bool:
    """Whether a version is believed and valid as the recall asks."""
    forgiving = look.include_invalidated or look.as_of is not None
    if not (fact.believed or (forgiving and fact.retracted)):
        return False
    if look.include_invalidated and look.as_of is None:
        return True
    at = moment(look.as_of) or datetime.now(UTC)
    start, end = moment(fact.valid_from), moment(fact.valid_to)
    return (start is None or start <= at) and (end is None or at < end)


def _same(left: Any, right: Any) -> bool:
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def _walk(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(path, inner)
    else:
        yield path, value


def _elements(fact: Fact, key: str) -> list[Any]:
    return [value for path, value in _walk("", fact.metadata) if path == key]


def holds(query: Mapping[str, Any], fact: Fact) -> bool:
    """Whether a version passes a filter."""
    return all(_clause(key, value, fact) for key, value in query.items())


def _clause(key: str, wanted: Any, fact: Fact) -> bool:
    if key == "and":
        return all(holds(part, fact) for part in wanted)
    if key == "or":
        return any(holds(part, fact) for part in wanted)
    if key == "not":
        return not holds(wanted, fact)
    key = key.removeprefix("metadata.")
    column = key in COLUMNS
    values = [getattr(fact, key)] if column else list(fact.tags) if key == "tags" else _elements(fact, key)
    if not isinstance(wanted, dict):
        return any(_same(wanted, one) for one in values)
    bounds = {name: bound for name, bound in wanted.items() if name in ORDER}
    if bounds and not any(_within(one, bounds) for one in values):
        return False
    if "exists" in wanted:
        absent = (None, "") if column else (None,)  # an empty source is none
        return any(one not in absent for one in values) is wanted["exists"]
    return all(_operator(name, given, values) for name, given in wanted.items() if name not in bounds)


def _operator(name: str, given: Any, values: Sequence[Any]) -> bool:
    if name == "prefix":
        return any(isinstance(one, str) and one.startswith(given) for one in values)
    wanted = given if name in ("any", "none") else [given]
    found = any(_same(one, value) for one in values for value in wanted)
    return found if name in ("any", "eq") else not found


def _within(one: Any, bounds: Mapping[str, Any]) -> bool:
    """Whether a value lies between bounds of its own kind: numbers, or texts that are instants."""
    instants = isinstance(next(iter(bounds.values())), str)
    if one is None or isinstance(one, bool) or isinstance(one, str) is not instants:
        return False
    try:
        found = moment(one) if instants else one
    except ValueError:
        return False
    return all(
        getattr(operator, ORDER[name])(found, moment(bound) if instants else bound) for name, bound in bounds.items()
    )
