"""What a tenant has chosen, as it is stored (only what differs from the defaults), and the tuning that it makes."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from memory.engine.tuning import DEFAULTS, FIELD_WEIGHTS, Tuning

RECALL: Final[Mapping[str, str]] = {
    "fusion": "fusion",
    "weights": "weights",
    "adaptive_weights": "adaptive",
    "smoothing": "smoothing",
    "stages": "stages",
    "vector_floor": "vector_floor",
    "fields": "fields",
    "token_budget": "token_budget",
    "half_life": "half_life",
    "access_bonus": "access_bonus",
    "record_access": "record_access",
    "record_exposures": "record_exposures",
    "rerank": "rerank",
}
"""Settings of the section `recall`, and what they are called in a Tuning."""
DATES: Final = ("date_order", "languages")
Chosen = Mapping[str, Any]


def tuning_of(chosen: Chosen, time_zone: str = "UTC") -> Tuning:
    """The tuning of a tenant in `time_zone`. What is stored under names that are gone is passed over."""
    recall, dates = chosen.get("recall") or {}, chosen.get("dates") or {}
    given: dict[str, Any] = {ours: recall[name] for name, ours in RECALL.items() if name in recall}
    given |= {name: dates[name] for name in DATES if name in dates}
    if "languages" in given:
        given["languages"] = tuple(given["languages"])
    if "fields" in given:
        given["fields"] = {**FIELD_WEIGHTS, **given["fields"]}
    return Tuning(**{**_AS_MADE, **given, "time_zone": time_zone})


def merged(chosen: Chosen, change: Chosen) -> dict[str, Any]:
    """`chosen` after a merge patch (RFC 7396): null takes a field away, an object changes one field by field."""
    found = dict(chosen)
    for name, value in change.items():
        if isinstance(value, Mapping):
            value = merged(found.get(name) or {}, value) or None
        if value is None:
            found.pop(name, None)
        else:
            found[name] = value
    return found


def paths_of(chosen: Chosen, before: str = "") -> set[str]:
    """The dotted names of what is chosen: `recall.weights.dense`."""
    found: set[str] = set()
    for name, value in chosen.items():
        found |= paths_of(value, f"{before}{name}.") if isinstance(value, Mapping) else {before + name}
    return found


def value_at(chosen: Chosen, path: str) -> Any:
    """What stands at a dotted name; None when nothing does."""
    found: Any = chosen
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


_AS_MADE: Final = {each.name: getattr(DEFAULTS, each.name) for each in fields(Tuning)}
