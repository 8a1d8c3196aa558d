"""The conditions of one request, each under the name of the field that set it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.engine.filters import And, AnyOf, Exists, Filter, Or, Range, parse_filters

TIERS = {"facts": ("fact", "note"), "chunks": ("chunk",)}
"""What is listed under each name of `tier`; `both` narrows nothing."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition and its name."""

    name: str
    filter: Filter


def together(clauses: Sequence[Clause]) -> Filter | None:
    """All of them as one filter; None for none."""
    if len(clauses) < 2:
        return clauses[0].filter if clauses else None
    return And(tuple(clause.filter for clause in clauses))


def of_filters(raw: Mapping[str, Any] | None) -> list[Clause]:
    """Each condition of a filter's outermost level. Raises `FilterError`."""
    whole = parse_filters(raw)
    if whole is None or raw is None:
        return []
    parts = whole.parts if isinstance(whole, And) and len(raw) > 1 else (whole,)
    return [Clause(f"filters.{name}", part) for name, part in zip(raw, parts, strict=True)]


def of_list(name: str, field: str, values: Sequence[str] | None) -> list[Clause]:
    """One of `values` in `field`; nothing where None is given."""
    return [] if values is None else [Clause(name, AnyOf(field, tuple(values)))]


def of_confidence(least: float | None) -> list[Clause]:
    """At least that confident; what says nothing of its confidence is certain."""
    if least is None:
        return []
    return [Clause("min_confidence", Or((Range("confidence", gte=least), Exists("confidence", False))))]


def of_tier(tier: str) -> list[Clause]:
    """Facts (what was extracted, and notes), chunks (what was said), or both."""
    return [] if tier == "both" else [Clause("tier", AnyOf("tier", TIERS[tier]))]
