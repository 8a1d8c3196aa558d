"""One condition of a filter as a person writes it: a field, a comparison, a value; and what the services make of it."""

import csv
import math
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from loci.ground.instants import BadInstant, parse_instant
from memory.engine.filters import FIELDS, FieldType

LABELS = {
    "source": gettext_lazy("Source"),
    "kind": gettext_lazy("Kind"),
    "tags": gettext_lazy("Tag"),
    "subject": gettext_lazy("About"),
    "agent": gettext_lazy("Agent"),
    "namespace": gettext_lazy("Namespace"),
    "timestamp": gettext_lazy("Happened"),
    "known_from": gettext_lazy("Known since"),
    "valid_from": gettext_lazy("True from"),
    "valid_to": gettext_lazy("True until"),
    "confidence": gettext_lazy("Confidence"),
    "written_by": gettext_lazy("Written by"),
    "language": gettext_lazy("Language"),
    "tier": gettext_lazy("Tier"),
    "key": gettext_lazy("Key"),
    "offset": gettext_lazy("Place in source"),
    "indexed_at": gettext_lazy("Indexed"),
    "invalidated_at": gettext_lazy("Retracted"),
    "id": gettext_lazy("Id"),
}
"""The built-in fields, those first that people ask for most; `event_at` is another name of `timestamp`."""
COMPARISONS = {
    "eq": gettext_lazy("is"),
    "ne": gettext_lazy("is not"),
    "any": gettext_lazy("is one of"),
    "none": gettext_lazy("is none of"),
    "prefix": gettext_lazy("begins with"),
    "gte": gettext_lazy("is at least"),
    "gt": gettext_lazy("is above"),
    "lte": gettext_lazy("is at most"),
    "lt": gettext_lazy("is below"),
    "exists": gettext_lazy("is set"),
    "missing": gettext_lazy("is not set"),
}
FITTING = {
    **dict.fromkeys(("eq", "ne", "any", "none", "exists", "missing"),
                    ("text", "number", "instant", "list", "id", "metadata")),
    "prefix": ("text", "list", "metadata"),
    **dict.fromkeys(("gte", "gt", "lte", "lt"), ("number", "instant", "metadata")),
}  # fmt: skip
"""For each comparison, what it makes sense for: the types of built-in fields, `id`, or metadata of any type."""
RANGES = ("gte", "gt", "lte", "lt")
ALONE = ("exists", "missing")
"""Comparisons that take no value."""
LONGEST_FIELD, LONGEST_VALUE = 300, 2000
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")


class Unfit(ValueError):
    """The condition cannot be used; the message is for the person who wrote it."""


@dataclass(frozen=True, slots=True)
class Condition:
    """`field` is a built-in one or a metadata key, `comparison` one of `COMPARISONS`."""

    field: str
    comparison: str
    value: str = ""

    @property
    def token(self) -> str:
        """How it stands in an address: field, comparison and value, a colon between them."""
        return f"{quote(self.field, safe='./-_ ')}:{self.comparison}:{self.value}"

    @property
    def name(self) -> str:
        """The field as people read it."""
        return str(LABELS.get(self.field, self.field.removeprefix("metadata.")))

    @property
    def verb(self) -> str:
        """The comparison as people read it."""
        return str(COMPARISONS[self.comparison])

    @property
    def kind(self) -> FieldType | None:
        """What a built-in field compares as; None for metadata."""
        return FIELDS.get(self.field)

    @property
    def raw(self) -> dict[str, Any]:
        """The condition in the filter language; `Unfit` when it makes none."""
        if not self.field:
            raise Unfit(_("Name the field, such as source or ticket."))
        if self.comparison in ALONE:
            return {self.field: {"exists": self.comparison == "exists"}}
        if not self.value:
            raise Unfit(_("Give the value to compare with."))
        return {self.field: self._operand()}

    def _operand(self) -> Any:
        if self.comparison == "prefix":
            if self.kind in ("number", "instant") or self.field == "id":
                raise Unfit(_("This field is no text: compare it with “is” or “is at least”."))
            if len(self.value) > 500:
                raise Unfit(_("Give a beginning of at most 500 characters."))
            return {"prefix": self.value}
        if self.comparison in RANGES:
            return {self.comparison: self._bound()}
        several = self.comparison in ("any", "none")
        values = [each for part in (split(self.value) if several else [self.value]) for each in self._scalars(part)]
        return {"any" if self.comparison in ("eq", "any") else "none": values}

    def _bound(self) -> float | str:
        """A bound of a range: a number or an instant."""
        if self.kind in ("text", "list"):
            raise Unfit(_("This field has no order: compare it with “is one of” or “begins with”."))
        if self.kind != "instant" and (number := number_in(self.value)) is not None:
            return number
        if self.kind == "number":
            raise Unfit(_("Give a number, such as 100 or 0.5."))
        return self._instant(self.value)

    def _instant(self, text: str) -> str:
        try:
            parse_instant(text, naive_is_utc=True)
        except BadInstant:
            raise Unfit(
                _("Give a number, or a date such as 2026-11-12.")
                if self.kind is None
                else _("Give a date such as 2026-11-12 or 2026-11-12T14:02Z.")
            ) from None
        return text

    def _scalars(self, text: str) -> list[Any]:
        """The values that `text` may mean: in metadata 7 is a number and a text, "7" in quotes only the text."""
        if self.kind == "instant":
            return [self._instant(text)]
        number = number_in(text)
        if self.kind == "number":
            if number is None:
                raise Unfit(_("Give a number, such as 100 or 0.5."))
            return [number]
        if len(text) > 1 and text[0] == text[-1] == '"':
            return [text[1:-1]]
        if self.kind is not None:
            return [text.lstrip("#") if self.field == "tags" else text]
        if text in ("true", "false"):
            return [text == "true", text]
        return [text] if number is None else [number, text]


def number_in(text: str) -> int | float | None:
    """The number that `text` is, if it is one."""
    if not _NUMBER.fullmatch(text) or len(text) > 40:
        return None
    number = float(text)
    return None if math.isinf(number) else int(text) if text.lstrip("-").isdigit() else number


def split(text: str) -> list[str]:
    """The values in a text with commas between them; one in double quotes may hold commas."""
    try:
        parts = next(csv.reader([text.replace("\n", " ")], skipinitialspace=True), [])
    except csv.Error:
        parts = text.split(",")
    return [part.strip() for part in parts if part.strip()]


def condition_of(token: str) -> Condition | None:
    """The condition that stands in an address; None when it is none."""
    field, _colon, rest = token.partition(":")
    comparison, _colon, value = rest.partition(":")
    return made(unquote(field), comparison, value)


def made(field: str, comparison: str, value: str) -> Condition | None:
    """A condition from what was typed; None for a comparison that there is not."""
    if comparison not in COMPARISONS:
        return None
    field, value = (part.replace("\x00", "").strip() for part in (field, value))
    return Condition(field[:LONGEST_FIELD], comparison, "" if comparison in ALONE else value[:LONGEST_VALUE])
