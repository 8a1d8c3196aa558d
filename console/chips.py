"""The filters in a page's address: as a filter for the services, and as chips that can be taken off."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from memory.engine.filters import And, AnyOf, Equals, Filter

LABELS = {"source": _("Source"), "kind": _("Kind"), "tag": _("Tag")}
MOST = 16
LONGEST = 1024
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter; `without` is the query string that is left when it is taken off."""

    name: str
    value: str
    without: str

    @property
    def label(self) -> str:
        """The field as people read it."""
        return str(LABELS[self.name])


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Filters by source, kind and tag: one of the sources, one of the kinds, every tag."""

    pairs: tuple[Pair, ...]

    def values(self, name: str) -> tuple[str, ...]:
        """The values given for one field."""
        return tuple(value for field, value in self.pairs if field == name)

    @property
    def filter(self) -> Filter | None:
        """What the services understand; None without filters."""
        parts: list[Filter] = [
            Equals(name, values[0]) if len(values) == 1 else AnyOf(name, values)
            for name in ("source", "kind")
            if (values := self.values(name))
        ]
        parts.extend(Equals("tags", tag) for tag in self.values("tag"))
        return None if not parts else parts[0] if len(parts) == 1 else And(tuple(parts))

    def chips(self, rest: Sequence[Pair] = ()) -> list[Chip]:
        """The chips; `rest` are the other parameters that stay in the address."""
        return [
            Chip(name, value, urlencode([*rest, *(pair for pair in self.pairs if pair != (name, value))]))
            for name, value in self.pairs
        ]


def narrowing_of(query: QueryDict) -> Narrowing:
    """The filters that an address names, each once."""
    pairs = [(name, value) for name in LABELS for given in query.getlist(name) if (value := _clean(name, given))]
    return Narrowing(tuple(dict.fromkeys(pairs))[:MOST])


def _clean(name: str, given: str) -> str:
    value = given.replace("\x00", "").strip()[:LONGEST]
    return value.lstrip("#") if name == "tag" else value
