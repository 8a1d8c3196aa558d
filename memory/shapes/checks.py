"""Checks of what came in, whatever the door: that it can be stored, and that it fits its shape."""

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from loci.ground.errors import Fault, InvalidRequest
from loci.ground.texts import storable

M = TypeVar("M", bound=BaseModel)

SHOWN = 256
"""Characters of a name from the request that a fault repeats."""


class Repeating(dict[str, Any]):
    """A JSON object in which `key` stands twice: which of the two was meant cannot be told."""

    key = ""


def check_values(value: Any, *, most: int | None = None) -> None:
    """`InvalidRequest` with the first faults of values that cannot be stored: strings and keys with NUL or half a
    character, numbers that are none, keys that stand twice; or for more than `most` values."""
    if faults := list(islice(_faults(value, most), 20)):
        raise InvalidRequest(faults)


def shown(name: str) -> str:
    """A name from the request as an answer can repeat it."""
    return name[:SHOWN].encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


_CHECKED = (str, float, dict, list)
Place = tuple[Any, str | int]
"""Where a value stands: the place of what holds it (None at the top), and the key or index in that."""


def _faults(value: Any, most: int | None) -> Iterator[Fault]:
    """What is wrong with a value and all within it. Iterative, since nesting is the caller's."""
    stack: list[tuple[Place, Any]] = [((None, "body"), value)]
    seen = 1
    while stack:
        place, item = stack.pop()
        if isinstance(item, str) and not storable(item):
            yield Fault(_path(place), "holds a NUL character or a lone surrogate", "string_unicode")
        elif isinstance(item, float) and not math.isfinite(item):
            yield Fault(_path(place), "is no finite number", "finite_number")
        elif isinstance(item, dict):
            seen += len(item)
            if isinstance(item, Repeating):
                yield Fault((*_path(place), shown(item.key)), "stands twice in its object", "json_duplicate_key")
            for key, inner in item.items():
                if not storable(key) or isinstance(inner, _CHECKED):
                    stack.append(((place, shown(key)), inner if storable(key) else key))
        elif isinstance(item, list):
            seen += len(item)
            if most is None or seen <= most:
                stack.extend(((place, at), inner) for at, inner in enumerate(item) if isinstance(inner, _CHECKED))
        if most is not None and seen > most:
            yield Fault(("body",), f"holds more than {most:,} values", "too_long")
            return


def _path(place: "Place | None") -> tuple[str | int, ...]:
    """The path to a place; built only for a fault, since a place may lie deep and have many neighbours."""
    parts: list[str | int] = []
    while place is not None:
        place, part = place
        parts.append(part)
    return tuple(reversed(parts))


def validated(model: type[M], data: Any, where: str, *, strict: bool = True) -> M:
    """`data` as `model`; `InvalidRequest` with every fault, each told with its path below `where`."""
    try:
        return model.model_validate(data, strict=strict)
    except ValidationError as error:
        found = error.errors(include_url=False)[:50]
        raise InvalidRequest([_fault(model, where, fault) for fault in found]) from None


def _fault(model: type[BaseModel], where: str, fault: Mapping[str, Any]) -> Fault:
    message = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        known = ", ".join(model.model_fields) if len(fault["loc"]) == 1 else ""
        message = f"is not known here; there are: {known}" if known else "is not known here"
    within = fault.get("ctx", {}).get("path", ())
    loc = (shown(part) if isinstance(part, str) else part for part in (*fault["loc"], *within))
    return Fault((where, *loc), message[:500], str(fault["type"]))
