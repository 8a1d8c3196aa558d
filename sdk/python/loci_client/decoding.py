"""JSON into frozen dataclasses, by their annotations. What a newer server adds is passed over."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from loci_client.errors import UnexpectedAnswer

T = TypeVar("T")


def decode(kind: type[T], document: Any) -> T:
    """`document` as `kind`, a dataclass. Raises UnexpectedAnswer when it does not fit."""
    try:
        made = _value(kind, document)
    except (KeyError, TypeError, ValueError) as error:
        raise UnexpectedAnswer(f"The answer is no {kind.__name__}: {error}") from error
    return typing.cast(T, made)


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)


def _value(kind: Any, value: Any) -> Any:
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        options = [option for option in typing.get_args(kind) if option is not types.NoneType]
        return None if value is None else _value(options[0], value)
    if origin is list:
        return _expect(value, list)
    if origin is tuple:
        return tuple(_value(typing.get_args(kind)[0], entry) for entry in _expect(value, list))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return _expect(value, dict)
    if dataclasses.is_dataclass(kind):
        return _object(kind, _expect(value, dict))
    if kind is datetime:
        return datetime.fromisoformat(_expect(value, str))
    if kind is float:
        return float(_expect(value, float, int))
    return value if kind is Any else _expect(value, kind)


def _object(kind: Any, document: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    known = {
        field.name: _value(hints[field.name], document[field.name])
        for field in dataclasses.fields(kind)
        if field.name in document and field.name != "raw"
    }
    if "raw" in hints:
        known["raw"] = document
    return kind(**known)


def _expect(value: Any, *kinds: type) -> Any:
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{value!r:.80} where {kinds[0].__name__} is expected")
    return value
