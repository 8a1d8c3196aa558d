"""JSON, strictly: no NaN, no NUL, no lone surrogate, no key twice, no abysmal nesting, no field that is unknown."""

import json
import math
import re
from typing import Any, NoReturn

from pydantic import BaseModel, ConfigDict

from loci.ground.errors import Fault, InvalidRequest
from memory.shapes.checks import Repeating, check_values

_SUSPECT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])|\x00")


class Strict(BaseModel):
    """Unknown fields are faults."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


def read_json(raw: bytes) -> Any:
    """What `raw` says; `InvalidRequest` with what is wrong with it."""
    repeating: list[Repeating] = []
    try:
        value = json.loads(
            raw.decode(),
            parse_constant=_no_constant,
            parse_float=_finite,
            object_pairs_hook=lambda pairs: _object(pairs, repeating),
        )
    except UnicodeDecodeError as error:
        _refuse(f"is not UTF-8 at byte {error.start}")
    except RecursionError:
        _refuse("is nested too deep")
    except ValueError as error:
        _refuse(f"is not valid JSON: {error}")
    if repeating or _SUSPECT.search(raw):
        check_values(value)
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _refuse(message: str) -> NoReturn:
    raise InvalidRequest([Fault(("body",), message, "json_invalid")])


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:32]} is beyond the range of a number")
    return value


def _object(pairs: list[tuple[str, Any]], repeating: list[Repeating]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    marked = Repeating(value)
    seen: set[str] = set()
    marked.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    repeating.append(marked)
    return marked
