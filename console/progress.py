"""A job as its row and its page show it."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from console.dossier import author, key_behind
from memory.models import Job
from memory.services.jobs import OPEN
from tenants.scope import Actor

STATES = {
    "queued": (gettext_lazy("Queued"), ""),
    "running": (gettext_lazy("Running"), "run"),
    "succeeded": (gettext_lazy("Finished"), "ok"),
    "failed": (gettext_lazy("Stopped"), "bad"),
}
OUTCOMES = {
    "stored": (gettext_lazy("Stored"), "ok"),
    "duplicate": (gettext_lazy("Was here"), ""),
    "updated": (gettext_lazy("Details updated"), ""),
    "superseded": (gettext_lazy("New version"), "ok"),
    "failed": (gettext_lazy("Failed"), "bad"),
}
SHOWN_FAILURES = 20
PER_PAGE = 50
BRISK = timedelta(minutes=10)
"""How long after its start a page asks every two seconds how far a job is."""


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """What became of one item; `pointer` is its place in the request."""

    pointer: str
    words: str
    look: str
    memory: str | None
    reason: str


class JobCard:
    """A job; `reader` is who looks at it, `start` the first outcome to show, `names` what submitters
    are called."""

    def __init__(self, job: Job, reader: Actor, start: int = 0, names: Mapping[str, str] = MappingProxyType({})):
        self._names = names
        self.job = job
        self._reader = reader
        self._start = start

    @property
    def id(self) -> UUID:
        """The job's id."""
        return self.job.id

    @property
    def short_id(self) -> str:
        """Enough of the id to tell jobs apart by eye: the end, since the beginning is the time."""
        return str(self.job.id)[-8:]

    @property
    def title(self) -> str:
        """What it does."""
        if self.job.kind == "remember":
            n = self.job.total
            return ngettext("Remember %(n)d item", "Remember %(n)d items", n) % {"n": n}
        if self.job.kind == "evaluate":
            return _("Ask the golden questions")
        return self.job.kind.replace("_", " ").capitalize()

    @property
    def state(self) -> tuple[str, str]:
        """How it stands: words, and the badge's look."""
        words, look = STATES.get(self.job.state, (self.job.state, ""))
        return str(words), look

    @property
    def open(self) -> bool:
        """Whether it has not ended."""
        return self.job.state in OPEN

    @property
    def pace(self) -> str:
        """How often its page asks how far it is; nothing once it has ended."""
        if not self.open:
            return ""
        return "2s" if timezone.now() - self.job.created_at < BRISK else "10s"

    @property
    def percent(self) -> int:
        """How much of it is done."""
        return 100 * self.job.done // self.job.total if self.job.total else 0

    @property
    def progress(self) -> str:
        """How much of it is done, in words."""
        return _("%(done)d of %(total)d") % {"done": self.job.done, "total": self.job.total}

    @property
    def by(self) -> str:
        """Who submitted it."""
        return author(self.job.actor, self._reader, self._names)

    @property
    def key(self) -> str:
        """The id of the key that submitted it; nothing when it was no key."""
        return key_behind(self.job.actor)

    @property
    def took(self) -> str:
        """How long it took from being queued to its end; nothing before that."""
        if self.job.finished_at is None:
            return ""
        seconds = max(1, round((self.job.finished_at - self.job.created_at).total_seconds()))
        return _("%(n)d s") % {"n": seconds} if seconds < 120 else _("%(n)d min") % {"n": seconds // 60}

    @cached_property
    def result(self) -> dict[str, Any]:
        """Counts and outcomes so far."""
        found = self.job.result
        document: dict[str, Any] = json.loads(found) if isinstance(found, str) else found
        return document

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many items came to what; what is bad only where there is some."""
        if self.job.kind != "remember":
            return []
        names = {"stored": _("Stored"), "duplicates": _("Were here already"), "failed": _("Failed")}
        found = [(said, int(self.result.get(name, 0))) for name, said in names.items()]
        found.append((_("Not reached"), 0 if self.open else self.job.total - self.job.done))
        return found[:2] + [(said, n) for said, n in found[2:] if n]

    @cached_property
    def _results(self) -> Sequence[dict[str, Any]]:
        results: Sequence[dict[str, Any]] = self.result.get("results", [])
        return results

    @cached_property
    def _cut(self) -> set[int]:
        """The items that were sent to be cut into several memories."""
        return {item for item, times in Counter(one["item"] for one in self._results).items() if times > 1}

    def _outcome(self, one: dict[str, Any]) -> ItemOutcome:
        words, look = OUTCOMES.get(one["status"], (one["status"], ""))
        pointer = f"/items/{one['item']}"
        if one["item"] in self._cut:
            pointer = _("%(pointer)s from %(offset)d") % {"pointer": pointer, "offset": one.get("offset") or 0}
        return ItemOutcome(pointer, str(words), look, one.get("id"), one.get("reason", ""))

    @property
    def failures(self) -> list[ItemOutcome]:
        """The first items that failed."""
        return [self._outcome(one) for one in self._results if one["status"] == "failed"][:SHOWN_FAILURES]

    @property
    def more_failures(self) -> int:
        """How many further items failed."""
        return sum(one["status"] == "failed" for one in self._results) - len(self.failures)

    @property
    def last_reached(self) -> str:
        """The pointer to the last item that was looked at, if any."""
        return self._outcome(self._results[-1]).pointer if self._results else ""

    @property
    def outcomes(self) -> list[ItemOutcome]:
        """A page of what became of the items."""
        return [self._outcome(one) for one in self._results[self._start : self._start + PER_PAGE]]

    @property
    def next_start(self) -> int:
        """Where the next page of outcomes begins; 0 when this is the last."""
        end = self._start + PER_PAGE
        return end if end < len(self._results) else 0
