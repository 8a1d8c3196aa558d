"""The filters in a page's address: as a filter for the services, and as chips that can be changed and taken off.

Each `f` is a condition (`amount:gte:100`). `match=any` asks for one of them instead of all, `json` is a filter in the
filter language. `field` (or else `other`), `comparison` and `value` come from the form that adds one, with `at`
from the one that changes it.
"""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from console.conditions import COMPARISONS, FITTING, LABELS, Condition, Unfit, condition_of, made, split
from console.kinds import kind_name
from loci.ground.errors import InvalidRequest
from memory.api.parsing import StrictJSONParser
from memory.engine.filters import FIELDS, MAX_CONDITIONS, And, Filter, FilterError, Or, parse_filters
from memory.shapes.requests import KINDS

MOST = 16
LONGEST_JSON = 8000
LEGACY = {"source": "source", "kind": "kind", "tag": "tags"}
"""Parameters of older addresses, and the fields that they mean."""
FORM = ("field", "other", "comparison", "value", "at")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter; `without` is the query string that is left when it is taken off, `fault` what is wrong with it,
    `offered` whether its field is among those to choose from."""

    at: int
    field: str
    comparison: str
    value: str
    name: str
    verb: str
    without: str
    fault: str = ""
    offered: bool = True

    @property
    def shown(self) -> str:
        """The value as people read it."""
        if self.field == "written_by":
            kind, _colon, who = self.value.partition(":")
            return {"key": _("key"), "member": _("member")}.get(kind, kind) + (f" …{who[-6:]}" if who else "")
        if self.field == "kind":
            several = self.comparison in ("any", "none")
            return ", ".join(kind_name(each) for each in (split(self.value) if several else [self.value]) if each)
        return f"#{self.value.lstrip('#')}" if self.field == "tags" and self.value else self.value

    @property
    def place(self) -> str:
        """The place among the chips, for ids."""
        return str(self.at)

    @property
    def label(self) -> str:
        """The whole condition in words."""
        return " ".join(part for part in (self.name, self.verb, self.shown) if part)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The filters of an address. `filter` is what the services understand; None without filters, or with a fault."""

    conditions: tuple[Condition, ...] = ()
    either: bool = False
    raw: str = ""
    filter: Filter | None = None
    faults: tuple[str, ...] = ()
    raw_fault: str = ""

    @property
    def pairs(self) -> list[Pair]:
        """The parameters, as they stand in an address."""
        more = [("match", "any")] if self.either and len(self.conditions) > 1 else []
        return [*(("f", each.token) for each in self.conditions), *more, *([("json", self.raw)] if self.raw else [])]

    @property
    def faulty(self) -> bool:
        """Whether some filter cannot be used."""
        return any(self.faults) or bool(self.raw_fault)

    def chips(self, rest: Sequence[Pair] = (), known: Sequence[str] = ()) -> list[Chip]:
        """The chips; `rest` are the other parameters that stay in the address, `known` the metadata keys offered."""
        offered = {name for _title, group in fields_offered(known) for name, _label, _type in group}
        return [
            Chip(
                at,
                each.field,
                each.comparison,
                each.value,
                each.name,
                each.verb,
                self._without(at, rest),
                fault,
                each.field in offered,
            )
            for at, (each, fault) in enumerate(zip(self.conditions, self.faults, strict=True))
        ]

    def _without(self, at: int, rest: Sequence[Pair]) -> str:
        kept = Narrowing(self.conditions[:at] + self.conditions[at + 1 :], self.either, self.raw)
        return urlencode([*rest, *kept.pairs])

    def without_raw(self, rest: Sequence[Pair] = ()) -> str:
        """The query string without the filter in JSON."""
        return urlencode([*rest, *Narrowing(self.conditions, self.either).pairs])

    def switched(self, rest: Sequence[Pair] = ()) -> str:
        """The query string that asks for one of the conditions instead of all, or the other way round."""
        return urlencode([*rest, *Narrowing(self.conditions, not self.either, self.raw).pairs])

    def each_alone(self) -> list[tuple[str, Filter]]:
        """Each filter by itself, under the words of its chip."""
        parts = [_part(condition)[0] for condition in self.conditions]
        return [(chip.label, part) for chip, part in zip(self.chips(), parts, strict=True) if part is not None]

    def each_left_out(self) -> list[Filter | None]:
        """For each condition, the filter that the others make."""
        return [
            judged(self.conditions[:at] + self.conditions[at + 1 :], self.either, self.raw).filter
            for at in range(len(self.conditions))
        ]


def narrowing_of(query: QueryDict) -> Narrowing:
    """The filters that an address names, each once; those that make no sense keep their fault."""
    found = [condition for token in query.getlist("f") if (condition := condition_of(token))]
    for name, field in LEGACY.items():
        values = [value for value in query.getlist(name) if value.replace("\x00", "").strip()]
        if name == "tag":
            tags = (value.strip().lstrip("#") for value in values)
            found += [each for tag in tags if tag and (each := made(field, "eq", tag))]
        elif values:
            together = value_list(values) if len(values) > 1 else values[0]
            found.append(Condition(field, "any" if len(values) > 1 else "eq", together.replace("\x00", "").strip()))
    if typed := made(query.get("field") or query.get("other", ""), query.get("comparison", ""), query.get("value", "")):
        at = query.get("at", "")
        place = int(at) if at.isascii() and at.isdigit() and len(at) < 3 and int(at) < len(found) else len(found)
        found[place : place + 1] = [typed]
    raw = query.get("json", "").replace("\x00", "").strip()[:LONGEST_JSON]
    return judged(tuple(dict.fromkeys(found))[:MOST], query.get("match") == "any", raw)


def value_list(values: Sequence[str]) -> str:
    """Values with commas between them, quoted where they hold one."""
    return ", ".join(
        '"{}"'.format(value.replace('"', '""')) if "," in value or '"' in value else value for value in values
    )


def judged(conditions: tuple[Condition, ...], either: bool, raw: str) -> Narrowing:
    """The filters with what the services make of them."""
    parts, faults = [], []
    for condition in conditions:
        part, fault = _part(condition)
        parts += [part] if part is not None else []
        faults.append(fault)
    written, raw_fault = _written(raw)
    if any(faults) or raw_fault:
        return Narrowing(conditions, either, raw, None, tuple(faults), raw_fault)
    together = None if not parts else parts[0] if len(parts) == 1 else (Or if either else And)(tuple(parts))
    both = And((together, written)) if together and written else together or written
    return Narrowing(conditions, either, raw, both, tuple(faults))


def _part(condition: Condition) -> tuple[Filter | None, str]:
    try:
        return parse_filters(condition.raw), ""
    except Unfit as error:
        return None, str(error)
    except FilterError:
        return None, _("This comparison does not fit this field and value.")


def _written(raw: str) -> tuple[Filter | None, str]:
    """A filter in the filter language; what is wrong with it is said in the language's own words."""
    if not raw:
        return None, ""
    try:
        return parse_filters(StrictJSONParser().parse(io.BytesIO(raw.encode()))), ""
    except InvalidRequest as error:
        return None, error.faults[0].msg
    except FilterError as error:
        place = "/".join(map(str, error.path))
        return None, f"{place}: {error}" if place else str(error)


def tidied(query: QueryDict) -> str | None:
    """The query string with what a form added in its place; None when it is tidy already."""
    if not any(name in query for name in FORM):
        return None
    kept = [(name, value) for name, values in query.lists() for value in values if name not in (*FORM, *LEGACY)]
    rest = [pair for pair in kept if pair[0] not in ("f", "match", "json", "open") and pair[1]]
    return urlencode([*rest, *narrowing_of(query).pairs])


def fields_offered(known: Sequence[str]) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The fields to choose from: built-in ones, then the metadata keys that memories have. Each with its name as people
    read it and with what it compares as."""
    keys = [key if key.removeprefix("metadata.") in LABELS else key.removeprefix("metadata.") for key in known]
    own = [(key, key.removeprefix("metadata."), "metadata") for key in keys if key != "tags"]
    built_in = [(name, str(label), "id" if name == "id" else str(FIELDS[name])) for name, label in LABELS.items()]
    return [(_("Of every memory"), built_in), *([(_("Metadata"), own)] if own else [])]


def builder(
    narrowing: Narrowing, rest: Sequence[Pair], known: Sequence[str], namespaces: Sequence[str] = ()
) -> dict[str, Any]:
    """What the templates of the filter row and its popovers need; `namespaces` are suggested."""
    return {
        "narrowing": narrowing,
        "chips": narrowing.chips(rest, known),
        "kept": [*rest, *narrowing.pairs],
        "comparisons": [(name, label, " ".join(FITTING[name])) for name, label in COMPARISONS.items()],
        "suggested": {"kind": KINDS, "namespace": namespaces},
        "fields": fields_offered(known),
        "switched": narrowing.switched(rest) if len(narrowing.conditions) > 1 else "",
        "without_raw": narrowing.without_raw(rest),
        "raw_hint": json.dumps({"not": {"tags": {"any": ["draft", "old"]}}}),
        "most": len(narrowing.conditions) >= min(MOST, MAX_CONDITIONS),
    }
