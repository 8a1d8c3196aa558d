"""A memory as its page shows it: the version that counts, its state, where it came from, how its versions differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from console.clocks import Entry, Lanes, known_entries, lanes, moment_of, world_entries
from console.deeds import operator
from console.diff import plain
from console.figures import decimal
from memory.engine.types import Record
from tenants.scope import Actor, Scope
from tenants.services.activity import names_of

TITLE = 360
HEAD = 120


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of "where it came from"."""

    name: str
    value: str
    look: str = ""
    moment: datetime | None = None
    key: str = ""
    """The id of the key that it names, if it names one."""


class Dossier:
    """A memory with all its versions, newest first; `reader` looks at it, `names` says what writers are called."""

    def __init__(self, versions: Sequence[Record], reader: Actor, names: Mapping[str, str] = MappingProxyType({})):
        self.versions = versions
        self.names = names
        self.reader = reader
        self.record = next((one for one in versions if one.payload["known_to"] is None), versions[0])

    @property
    def id(self) -> UUID:
        """The memory's id."""
        return self.record.id

    @property
    def short_id(self) -> str:
        """Enough of the id to tell memories apart by eye, and to type when one is erased."""
        return str(self.record.id)[:8]

    @property
    def payload(self) -> Any:
        """All but the text of the version that counts."""
        return self.record.payload

    @property
    def number(self) -> int:
        """How many versions there are."""
        return len(self.versions)

    @property
    def retracted(self) -> bool:
        """Whether it is no longer believed."""
        return self.payload["known_to"] is not None

    @property
    def restorable(self) -> bool:
        """Whether a retraction can be taken back: by sending the content again, which a key has none of."""
        return self.retracted and self.payload["key"] is None

    @property
    def long(self) -> bool:
        """Whether the text is too long for a title."""
        return len(self.record.text) > TITLE or self.record.text.count("\n") > 4

    @property
    def title(self) -> str:
        """The text, or how it begins."""
        if not self.long:
            return self.record.text
        head = " ".join(self.record.text[:TITLE].split())[:HEAD]
        return f"{head.rsplit(' ', 1)[0]} …"

    @property
    def state(self) -> tuple[str, str]:
        """How it stands now: words, and the badge's look."""
        now = timezone.now()
        since, until = moment_of(self.payload["valid_from"]), moment_of(self.payload["valid_to"])
        expires = moment_of(self.payload["expires_at"])
        if self.retracted:
            return _("Retracted"), "bad"
        if expires and expires <= now:
            return _("Expired"), "warn"
        if until and until <= now:
            return _("No longer true"), "warn"
        if since and since > now:
            return _("Not true yet"), "warn"
        return _("True now"), "ok"

    @property
    def waiting(self) -> bool:
        """Whether search cannot find it yet."""
        return self.payload["indexed_at"] is None and not self.retracted

    @cached_property
    def world(self) -> list[Entry]:
        """When it was true."""
        return world_entries(self.record, self.versions)

    @cached_property
    def known(self) -> list[Entry]:
        """When we knew it."""
        return known_entries(
            self.versions, [author(one.payload["written_by"], self.reader, self.names) for one in self.versions]
        )

    @cached_property
    def lanes(self) -> Lanes | None:
        """Both clocks as a drawing."""
        return lanes(self.world, self.known, timezone.now())

    @cached_property
    def origin(self) -> list[Fact]:
        """Where it came from; what is not known is left out."""
        payload, first = self.payload, self.versions[-1].payload
        by, last = first["written_by"], payload["written_by"]
        changed = len(self.versions) > 1
        facts = [
            Fact(_("Source"), payload["source"], "source"),
            Fact(_("Place in it"), str(payload["offset"]) if payload["offset"] else ""),
            Fact(_("Happened"), "", moment=moment_of(payload["timestamp"])),
            Fact(_("About"), payload["subject"] or ""),
            Fact(_("Agent"), payload["agent"] or ""),
            Fact(_("Key"), payload["key"] or "", "code"),
            Fact(_("Namespace"), payload["namespace"], "code"),
            Fact(_("Confidence"), "" if payload["confidence"] is None else decimal(payload["confidence"])),
            Fact(_("Language"), payload["language"] or ""),
            Fact(_("Written by"), author(by, self.reader, self.names), key=key_behind(by)),
            Fact(_("First stored"), "", moment=moment_of(first["known_from"])),
            *(
                [Fact(_("Last changed by"), author(last, self.reader, self.names), key=key_behind(last))]
                if changed
                else []
            ),
            Fact(_("Expires"), "", moment=moment_of(payload["expires_at"])),
        ]
        return [fact for fact in facts if fact.value or fact.moment]

    @property
    def details(self) -> list[tuple[str, str]]:
        """The metadata, by key."""
        return [(key, plain(value)) for key, value in sorted(self.payload["metadata"].items())]


def dossier_of(scope: Scope, versions: Sequence[Record]) -> Dossier:
    """The dossier of a memory's versions, as the scope's actor reads it, with the names of who wrote it."""
    return Dossier(versions, scope.actor, names_of(scope, {one.payload["written_by"] for one in versions}))


def key_behind(written_by: str) -> str:
    """The id of the key that wrote a version; nothing when it was no key."""
    kind, _colon, name = written_by.partition(":")
    return name if kind == "key" else ""


def author(written_by: str, reader: Actor, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Who wrote a version, as people say it; `names` is what keys and members are called."""
    kind, name = written_by.partition(":")[0], names.get(written_by, "")
    if kind == "member":
        return _("You") if written_by == str(reader) else name or _("A former member")
    if kind == "key":
        return _("Key “%(name)s”") % {"name": name} if name else _("A service key")
    return operator(written_by) if kind == "operator" else _("A job") if kind == "job" else written_by
