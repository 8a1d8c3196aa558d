"""What was done in a tenant, in sentences: the audit trail as people read it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from console.figures import grouped
from console.kinds import role_name
from tenants.scope import Actor
from tenants.services.activity import Event

ICONS = {
    "memory.written": "layers",
    "memory.corrected": "history",
    "memory.restored": "rotate-ccw",
    "memory.invalidated": "archive",
    "memory.erased": "eraser",
    "feedback": "thumbs-up",
    "golden": "circle-check",
    "key": "key-round",
    "member": "user",
    "quota": "gauge",
    "index": "activity",
    "tenant": "globe",
    "settings": "settings",
}
Detail = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Deed:
    """A line of the activity: `memory` is the one that it was about, if there is one to look at."""

    icon: str
    sentence: SafeString
    at: datetime
    memory: UUID | None


def deed(event: Event, reader: Actor, keys_of: str = "") -> Deed:
    """An event in a sentence; `reader` is who reads it, `keys_of` the slug of the tenant whose keys they manage."""
    icon = ICONS.get(event.action) or ICONS.get(event.action.partition(".")[0], "git-commit-horizontal")
    pattern = SENTENCES.get(event.action, _other)(event.detail)
    who = format_html("<b>{}</b>", doer(event, reader))
    mine = event.actor == str(reader)
    kind, _colon, key = event.actor.partition(":")
    if kind == "key" and event.who and keys_of:
        who = format_html('<a href="{}">{}</a>', reverse("console:key", args=[keys_of, key]), who)
    # languages whose verb depends on who acts begin it here
    did = (
        pgettext("you, before what you did", "{name}") if mine else pgettext("somebody, before what was done", "{name}")
    )
    who = format_html(did, name=who)
    said = {"who": who, "key": _key(event, keys_of), "action": event.action, "n": "", **_figures(event.detail)}
    return Deed(icon, format_html(pattern, **said), event.at, _memory(event))


def _key(event: Event, keys_of: str) -> str:
    """The name of the key that it was about, leading to its page where the reader manages keys."""
    if not keys_of or not event.about:
        return event.about or "…"
    address = reverse("console:key", args=[keys_of, str(event.detail.get("key"))])
    return format_html('<a href="{}">{}</a>', address, event.about)


def _memory(event: Event) -> UUID | None:
    if event.action not in ("memory.corrected", "memory.restored"):
        return None
    try:
        return UUID(str(event.detail.get("id")))
    except ValueError:
        return None


def _figures(detail: Detail) -> dict[str, str]:
    """The numbers of an event, as people read them."""
    numbers = {name: grouped(value) for name, value in detail.items() if isinstance(value, int)}
    return numbers | {"role": role_name(str(detail.get("role", ""))), "names": ", ".join(sorted(map(str, detail)))}


def doer(event: Event, reader: Actor) -> str:
    """Who did it."""
    kind = event.actor.partition(":")[0]
    if kind == "member":
        return _("You") if event.actor == str(reader) else event.who or _("A former member")
    if kind == "key":
        return _("Key “%(name)s”") % {"name": event.who} if event.who else _("A service key")
    return operator(event.actor) if kind == "operator" else _("A job") if kind == "job" else event.actor


def operator(actor: str) -> str:
    """Whoever runs Loci, by the command that they gave."""
    command = actor.partition(":")[2]
    return _("The operator") if command in ("", "operator") else _("The command “%(name)s”") % {"name": command}


def _number(detail: Detail, name: str) -> int:
    value = detail.get(name)
    return value if isinstance(value, int) else 0


def _written(detail: Detail) -> str:
    stored, changed = _number(detail, "stored"), _number(detail, "changed")
    if changed and not stored:
        return ngettext("{who} updated {changed} memory", "{who} updated {changed} memories", changed)
    if changed:
        return ngettext(
            "{who} stored {stored} memory and updated {changed}",
            "{who} stored {stored} memories and updated {changed}",
            stored,
        )
    return ngettext("{who} stored {stored} memory", "{who} stored {stored} memories", stored)


def _retracted(detail: Detail) -> str:
    number = _number(detail, "count")
    return ngettext("{who} retracted {count} memory", "{who} retracted {count} memories", number)


def _erased(detail: Detail) -> str:
    number = _number(detail, "count")
    return ngettext("{who} erased {count} memory", "{who} erased {count} memories", number)


def _other(detail: Detail) -> str:
    return _("{who} did “{action}”")


SENTENCES: Mapping[str, Callable[[Detail], str]] = {
    "memory.written": _written,
    "memory.corrected": lambda detail: _("{who} corrected a memory"),
    "memory.restored": lambda detail: _("{who} restored a memory"),
    "memory.invalidated": _retracted,
    "memory.erased": _erased,
    "feedback.given": lambda detail: _("{who} said whether a memory helped"),
    "golden.added": lambda detail: _("{who} said what searches should find"),
    "golden.removed": lambda detail: _("{who} removed golden questions: {count}"),
    "golden.run": lambda detail: _("{who} asked the golden questions: {questions}"),
    "key.issued": lambda detail: _("{who} made the service key “{key}”"),
    "key.revoked": lambda detail: _("{who} revoked the service key “{key}”"),
    "member.added": lambda detail: _("{who} gave somebody the role “{role}”"),
    "quota.set": lambda detail: _("{who} changed limits: {names}"),
    "index.rebuilt": lambda detail: _("{who} rebuilt the indexes"),
    "settings.changed": lambda detail: _("{who} changed settings"),
    "tenant.created": lambda detail: _("{who} made this tenant"),
}
