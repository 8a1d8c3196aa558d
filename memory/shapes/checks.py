"""Checks of what came in, whatever the door: that it can be stored, and that it fits its shape."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from loci.ground.errors import Fault, InvalidRequest

M = TypeVar("M", bound=BaseModel)
_SURROGATE = re.compile("[\ud800-\udfff]")

SHOWN = 256
"""Characters of a name from the request that a fault repeats."""


class Repeating(dict[str, Any]):
    """A JSON object in which `key` stands twice: which of the two was meant cannot be told."""

    key = ""


def check_strings(value: Any) -> None:
    """`InvalidRequest` with the first faults of strings and keys that cannot be stored, or of keys that stand twice."""
    if faults := list(islice(_faults(value), 20)):
        raise InvalidRequest(faults)


def shown(name: str) -> str:
    """A name from the request as an answer can repeat it."""
    return name[:SHOWN].encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


Place = tuple[Any, str | int]
"""Where a value stands: the place of what holds it (None at the top), and the key or index in that."""


def _faults(value: Any) -> Iterator[Fault]:
    """Strings and keys that cannot be stored, keys that stand twice. Iterative, since nesting is the caller's."""
    stack: list[tuple[Place, Any]] = [((None, "body"), value)]
    while stack:
        place, item = stack.pop()
        if isinstance(item, str) and _unfit(item):
            yield Fault(_path(place), "holds a NUL character or a lone surrogate", "string_unicode")
        elif isinstance(item, dict):
            if isinstance(item, Repeating):
                yield Fault((*_path(place), shown(item.key)), "stands twice in its object", "json_duplicate_key")
            for key, inner in item.items():
                if _unfit(key) or isinstance(inner, str | dict | list):
                    stack.append(((place, shown(key)), key if _unfit(key) else inner))
        elif isinstance(item, list):
            stack.extend(((place, at), inner) for at, inner in enumerate(item) if isinstance(inner, str | dict | list))


def _path(place: "Place | None") -> tuple[str | int, ...]:
    """The path to a place; built only for a fault, since a place may lie deep and have many neighbours."""
    parts: list[str | int] = []
    while place is not None:
        place, part = place
        parts.append(part)
    return tuple(reversed(parts))


def _unfit(text: str) -> bool:
    return "\0" in text or bool(_SURROGATE.search(text))


def validated(model: type[M], data: Any, where: str, *, strict: bool = True) -> M:
    """`data` as `model`; `InvalidRequest` with every fault, each told with its path below `where`."""
    try:
        return model.model_validate(data, strict=strict)
    except ValidationError as error:
        raise InvalidRequest([_fault(where, fault) for fault in error.errors(include_url=False)[:50]]) from None


def _fault(where: str, fault: Mapping[str, Any]) -> Fault:
    message = str(fault["msg"]).removeprefix("Value error, ")
    within = fault.get("ctx", {}).get("path", ())
    loc = (shown(part) if isinstance(part, str) else part for part in (*fault["loc"], *within))
    return Fault((where, *loc), message[:500], str(fault["type"]))
