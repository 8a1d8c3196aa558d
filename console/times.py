"""The time that a search looks from, as its address says it: both clocks, and whether retracted memories show."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from console.clocks import local, said
from console.forms import Moment
from memory.engine.types import View

NAMES = ("valid_at", "known_at")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ClockChip:
    """A clock that is not at now; `without` is the query string that puts it back."""

    title: str
    when: str
    without: str


@dataclass(frozen=True, slots=True)
class Times:
    """`valid_at` and `known_at` are the two clocks, None for now; `given` is what the address says of them."""

    valid_at: datetime | None = None
    known_at: datetime | None = None
    retracted: bool = False
    given: tuple[Pair, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def view(self) -> View:
        """What the services understand."""
        return View(self.valid_at, self.known_at, include_invalidated=self.retracted)

    @property
    def pairs(self) -> list[Pair]:
        """The parameters, as they stand in an address."""
        return [*self.given, *([("retracted", "1")] if self.retracted else [])]

    @property
    def values(self) -> dict[str, str]:
        """What stands in the fields."""
        return dict.fromkeys(NAMES, "") | dict(self.given)

    def chips(self, rest: Sequence[Pair]) -> list[ClockChip]:
        """A chip for each clock that is not at now; `rest` are the other parameters that stay in the address."""
        titles = {"valid_at": _("True on"), "known_at": _("Known on")}
        found = {"valid_at": self.valid_at, "known_at": self.known_at}
        return [ClockChip(titles[name], said(local(at)), self._without(name, rest)) for name, at in found.items() if at]

    def _without(self, name: str, rest: Sequence[Pair]) -> str:
        return urlencode([*rest, *(pair for pair in self.pairs if pair[0] != name)])

    def toggled(self, rest: Sequence[Pair]) -> str:
        """The query string that shows retracted memories, or hides them again."""
        return urlencode([*rest, *self.given, *([] if self.retracted else [("retracted", "1")])])


def times_of(query: QueryDict) -> Times:
    """The time that an address names; a clock that makes no sense stands at now, and its fault is said."""
    field, found, given, faults = Moment(required=False), {}, [], []
    for name in NAMES:
        text = query.get(name, "").replace("\x00", "").strip()[:40]
        try:
            found[name] = field.clean(text)
        except forms.ValidationError as error:
            faults += error.messages
        if text:
            given.append((name, text))
    return Times(
        found.get("valid_at"), found.get("known_at"), query.get("retracted") == "1", tuple(given), tuple(faults)
    )
