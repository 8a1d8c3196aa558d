"""The filter language: parsed and checked here, compiled in one place per store.

    {"source": "chat-7"}                          equality
    {"metadata.amount": {"gte": 100, "lt": 200}}  range over numbers or instants
    {"tags": {"any": ["a", "b"]}}                 at least one of
    {"kind": {"none": ["todo"]}}                  none of (also where the field is absent)
    {"metadata.owner": {"exists": true}}
    {"source": {"prefix": "docs/"}}
    {"and": [..]}, {"or": [..]}, {"not": {..}}    and a plain object with several keys is an `and`

A bare key that is no built-in field means `metadata.<key>`. A list-valued field matches when any element does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from loci.ground.instants import BadInstant, parse_instant

MAX_DEPTH = 8
MAX_CONDITIONS = 128
MAX_VALUES = 256
Scalar = str | int | float | bool | None

FieldType = Literal["text", "number", "instant", "list"]
FIELDS: Mapping[str, FieldType] = {
    "id": "text",
    "source": "text",
    "namespace": "text",
    "key": "text",
    "kind": "text",
    "tier": "text",
    "agent": "text",
    "subject": "text",
    "language": "text",
    "written_by": "text",
    "offset": "number",
    "confidence": "number",
    "timestamp": "instant",
    "event_at": "instant",
    "indexed_at": "instant",
    "known_from": "instant",
    "valid_from": "instant",
    "valid_to": "instant",
    "invalidated_at": "instant",
    "tags": "list",
}
"""The built-in fields that a filter may name, and what they compare as."""


class FilterError(ValueError):
    """The filter cannot be understood: `path` names the place, the message what to write instead."""

    def __init__(self, path: tuple[str | int, ...], message: str):
        super().__init__(message)
        self.path = path


@dataclass(frozen=True, slots=True)
class Equals:
    field: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds over numbers or over instants; None is open."""

    field: str
    gte: float | datetime | None = None
    gt: float | datetime | None = None
    lte: float | datetime | None = None
    lt: float | datetime | None = None

    @property
    def bounds(self) -> Iterator[tuple[str, float | datetime]]:
        """The given bounds as (SQL operator, value)."""
        for operator, value in ((">=", self.gte), (">", self.gt), ("<=", self.lte), ("<", self.lt)):
            if value is not None:
                yield operator, value

    @property
    def empty(self) -> bool:
        """Whether no value lies between the bounds."""
        lows = [(bound, strict) for bound, strict in ((self.gte, False), (self.gt, True)) if bound is not None]
        highs = [(bound, strict) for bound, strict in ((self.lte, False), (self.lt, True)) if bound is not None]
        return any(
            low > high or (low == high and (above or below))  # type: ignore[operator]
            for low, above in lows
            for high, below in highs
        )


@dataclass(frozen=True, slots=True)
class AnyOf:
    field: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    field: str
    wanted: bool


@dataclass(frozen=True, slots=True)
class Prefix:
    field: str
    prefix: str


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: "Filter"


Filter = Equals | Range | AnyOf | Exists | Prefix | And | Or | Not
_RANGE = ("gte", "gt", "lte", "lt")
OPERATORS = (*_RANGE, "eq", "ne", "any", "none", "exists", "prefix")


def parse_filters(raw: Any) -> Filter | None:
    """The filter that `raw` (JSON) describes, None for none; raises `FilterError` with the path to the fault."""
    if raw is None or raw == {}:
        return None
    counter = [0]
    return _parse(raw, (), 0, counter)


def _parse(raw: Any, path: tuple[str | int, ...], depth: int, counter: list[int]) -> Filter:
    if depth > MAX_DEPTH:
        raise FilterError(path, f"is nested deeper than {MAX_DEPTH}")
    if not isinstance(raw, dict):
        raise FilterError(path, 'must be an object such as {"source": "chat-7"}')
    if not raw:
        raise FilterError(path, "must not be empty")
    parts = [_entry(str(key), value, (*path, str(key)), depth, counter) for key, value in raw.items()]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _entry(key: str, value: Any, path: tuple[str | int, ...], depth: int, counter: list[int]) -> Filter:
    counter[0] += 1
    if counter[0] > MAX_CONDITIONS:
        raise FilterError(path, f"has more than {MAX_CONDITIONS} conditions")
    if key in ("and", "or"):
        if not isinstance(value, list) or not value:
            raise FilterError(path, "must be a list of at least one filter")
        parts = tuple(_parse(part, (*path, at), depth + 1, counter) for at, part in enumerate(value))
        return And(parts) if key == "and" else Or(parts)
    if key == "not":
        return Not(_parse(value, path, depth + 1, counter))
    return _condition(field_name(key, path), value, path)


def field_name(key: str, path: tuple[str | int, ...] = ()) -> str:
    """The full name of the field that `key` means: a built-in one, or `metadata.<key>`."""
    if key in FIELDS:
        return key
    name = key if key.startswith("metadata.") else f"metadata.{key}"
    if not 10 <= len(name) <= 300:
        raise FilterError(path, "a key must have 1 to 291 characters")
    return name


def _condition(field: str, value: Any, path: tuple[str | int, ...]) -> Filter:
    if not isinstance(value, dict):
        return Equals(field, _scalar(field, value, path))
    unknown = [operator for operator in value if operator not in OPERATORS]
    if unknown or not value:
        said = f"'{unknown[0]}' is no operator" if unknown else "an operator is missing"
        raise FilterError(path, f"{said}: use {', '.join(OPERATORS)}")
    parts: list[Filter] = []
    if any(operator in value for operator in _RANGE):
        parts.append(_range(field, value, path))
    parts.extend(_operator(field, name, given, (*path, name)) for name, given in value.items() if name not in _RANGE)
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _operator(field: str, name: str, given: Any, path: tuple[str | int, ...]) -> Filter:
    if name == "eq":
        return Equals(field, _scalar(field, given, path))
    if name == "ne":
        return Not(Equals(field, _scalar(field, given, path)))
    if name == "exists":
        if not isinstance(given, bool):
            raise FilterError(path, "must be true or false")
        return Exists(field, given)
    if name == "prefix":
        if not isinstance(given, str) or not given or len(given) > 500:
            raise FilterError(path, "must be a string of 1 to 500 characters")
        if field == "id" or FIELDS.get(field, "list") not in ("text", "list"):
            raise FilterError(path, f"{field} is no text")
        return Prefix(field, given)
    if not isinstance(given, list) or len(given) > MAX_VALUES:
        raise FilterError(path, f"must be a list of at most {MAX_VALUES} values")
    values = tuple(_scalar(field, item, (*path, at)) for at, item in enumerate(given))
    return AnyOf(field, values) if name == "any" else Not(AnyOf(field, values))


def _scalar(field: str, value: Any, path: tuple[str | int, ...]) -> Scalar:
    if isinstance(value, dict | list):
        raise FilterError(path, 'must be a string, number, boolean or null; for several values write {"any": [...]}')
    if isinstance(value, int | float):
        _number(value, path)
    kind = FIELDS.get(field)
    if value is None or kind is None:
        return value  # type: ignore[no-any-return]
    if kind == "number" and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise FilterError(path, f"{field} compares with a number")
    if kind in ("text", "list") and not isinstance(value, str):
        raise FilterError(path, f"{field} compares with a string")
    if kind == "instant":
        _instant(value, path)
    return value  # type: ignore[no-any-return]


def _number(value: float, path: tuple[str | int, ...]) -> float:
    try:
        return float(value)
    except OverflowError:
        raise FilterError(path, "is beyond the range of a number") from None


def _instant(value: Any, path: tuple[str | int, ...]) -> datetime:
    if not isinstance(value, str):
        raise FilterError(path, "must be an ISO 8601 instant, such as 2026-03-20T14:30:00Z")
    try:
        return parse_instant(value, naive_is_utc=True)
    except BadInstant as error:
        raise FilterError(path, str(error)) from None


def _range(field: str, value: Mapping[str, Any], path: tuple[str | int, ...]) -> Range:
    bounds = {name: value[name] for name in _RANGE if name in value}
    numeric = [not isinstance(bound, bool) and isinstance(bound, int | float) for bound in bounds.values()]
    kind = FIELDS.get(field)
    if kind in ("text", "list"):
        raise FilterError(path, f"{field} has no order: use any, none or prefix")
    if all(numeric) and kind != "instant":
        return Range(field, **{name: _number(bound, (*path, name)) for name, bound in bounds.items()})
    if kind == "number" or (kind is None and any(numeric)):
        raise FilterError(path, "both bounds must be numbers, or both ISO 8601 instants")
    return Range(field, **{name: _instant(bound, (*path, name)) for name, bound in bounds.items()})


def conditions_of(filters: Filter | None) -> Iterator[Equals | Range | AnyOf | Exists | Prefix]:
    """The conditions that a filter puts together."""
    if isinstance(filters, And | Or):
        for part in filters.parts:
            yield from conditions_of(part)
    elif isinstance(filters, Not):
        yield from conditions_of(filters.part)
    elif filters is not None:
        yield filters


def fields_of(filters: Filter | None) -> set[str]:
    """The names of all fields that a filter mentions."""
    return {condition.field for condition in conditions_of(filters)}


def empty_ranges(filters: Filter | None) -> set[str]:
    """The names of fields whose range ends before it begins."""
    return {one.field for one in conditions_of(filters) if isinstance(one, Range) and one.empty}
