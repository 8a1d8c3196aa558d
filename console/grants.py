"""What a service key may do, in words; and a key as its row and its page show it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from console.clocks import said
from console.dossier import author
from console.kinds import right_name
from tenants.models import ServiceKey
from tenants.scope import ALL, Actor, Right, home_of

BRISK = timedelta(minutes=10)
"""How long after its creation a page asks every two seconds whether a key was used."""
SHOWN_VALUE = 60


@dataclass(frozen=True, slots=True)
class Grant:
    """What a key is made of."""

    scopes: Sequence[str]
    namespaces: Sequence[str] = (ALL,)
    filters: Mapping[str, Any] = field(default_factory=dict)
    agent: str = ALL
    expires_at: datetime | None = None

    def may(self, right: Right) -> bool:
        """Whether it holds `right`; `admin` includes reading and writing."""
        return right in self.scopes or (Right.ADMIN in self.scopes and right in (Right.READ, Right.WRITE))


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return _("%(some)s and %(last)s") % {"some": ", ".join(names[:-1]), "last": names[-1]}


def bound(filters: Mapping[str, Any]) -> list[str]:
    """Bound filters as `ward = 7`."""
    return [
        f"{key} = {value if isinstance(value, str) else json.dumps(value)}"[:SHOWN_VALUE]
        for key, value in sorted(filters.items())
    ]


def in_words(grant: Grant) -> list[tuple[str, str]]:
    """What a key may do: pairs of a heading and a sentence."""
    lines = [(_("May"), " ".join(_abilities(grant))), (_("Where"), _where(grant.namespaces))]
    if grant.filters:
        only = _("Memories with %(filters)s. Whatever it writes is stamped with that.")
        lines.append((_("Only"), only % {"filters": listed(bound(grant.filters))}))
    if grant.agent != ALL:
        lines.append((_("As"), _("The agent %(agent)s: it reads what that agent wrote.") % {"agent": grant.agent}))
    until = _("%(moment)s, then it no longer works.") % {"moment": said(grant.expires_at)} if grant.expires_at else ""
    return [*lines, (_("Until"), until or _("Somebody revokes it."))]


def _abilities(grant: Grant) -> list[str]:
    found = []
    if grant.may(Right.READ):
        found.append(_("Recall, search and list memories."))
    if grant.may(Right.WRITE):
        found.append(_("Remember, correct and retract, and erase by id or source."))
    if Right.ADMIN in grant.scopes:
        found.append(_("See the jobs of all keys that reach no further than this one."))
    if Right.ERASE in grant.scopes:
        found.append(_("Erase by person, filter or namespace."))
    if not grant.may(Right.READ):
        found.append(_("It finds nothing, not even what it stored."))
    if not grant.may(Right.WRITE) and Right.ERASE not in grant.scopes:
        found.append(_("It changes nothing."))
    return found


def _where(namespaces: Sequence[str]) -> str:
    if ALL in namespaces:
        return _("In every namespace, also in those to come.")
    if len(namespaces) == 1:
        return _("In the namespace %(name)s, nowhere else.") % {"name": namespaces[0]}
    found = _("In the namespaces %(names)s, nowhere else.") % {"names": listed(namespaces)}
    return found + " " + _("What names none goes to %(name)s.") % {"name": home_of(namespaces)}


class KeyCard:
    """A key for its row and its page; `reader` is who looks at it."""

    def __init__(self, key: ServiceKey, reader: Actor):
        self.key = key
        self._reader = reader

    @property
    def id(self) -> UUID:
        """The key's id."""
        return self.key.id

    @property
    def name(self) -> str:
        """What people call it."""
        return self.key.name or _("Unnamed key")

    @property
    def revoked(self) -> bool:
        """Whether somebody revoked it."""
        return self.key.revoked_at is not None

    @property
    def expired(self) -> bool:
        """Whether its time ran out."""
        return self.key.expires_at is not None and self.key.expires_at <= timezone.now()

    @property
    def holds(self) -> bool:
        """Whether it still opens anything."""
        return not (self.revoked or self.expired)

    @property
    def ends_soon(self) -> bool:
        """Whether it holds for less than two weeks."""
        left = self.key.expires_at - timezone.now() if self.key.expires_at else None
        return self.holds and left is not None and left < timedelta(days=14)

    @property
    def used_lately(self) -> bool:
        """Whether something still uses it: a call within the last day."""
        used = self.key.last_used_at
        return used is not None and timezone.now() - used < timedelta(days=1)

    @property
    def words(self) -> list[tuple[str, str]]:
        """What it may do."""
        key = self.key
        return in_words(Grant(key.scopes, key.namespaces, key.filters, key.agent, key.expires_at))

    @property
    def where(self) -> str:
        """Which namespaces it reaches."""
        return _where(self.key.namespaces)

    @property
    def rights(self) -> list[str]:
        """Its scopes, as people read them."""
        return [right_name(scope) for scope in self.key.scopes]

    @property
    def narrowing(self) -> list[str]:
        """Where it reaches and what else it is narrowed to, in few words."""
        key = self.key
        names = {"names": listed(key.namespaces[:4])}
        found = [_("all namespaces") if ALL in key.namespaces else _("namespaces: %(names)s") % names]
        if len(key.namespaces) > 4:
            found.append(_("and %(n)d more namespaces") % {"n": len(key.namespaces) - 4})
        found += bound(key.filters)
        return found + ([_("as %(agent)s") % {"agent": key.agent}] if key.agent != ALL else [])

    @property
    def made_by(self) -> str:
        """Who made it."""
        return author(self.key.created_by, self._reader)

    @property
    def pace(self) -> str:
        """How often a page that waits for its first call and its first memory asks; nothing when neither is awaited."""
        brisk = timezone.now() - self.key.created_at < BRISK
        if not self.holds or (self.key.last_used_at and not (self.awaits_memory and brisk)):
            return ""
        return "2s" if brisk else "15s"

    @property
    def seen(self) -> str:
        """What its page shows of its use, so that it can ask for what is new."""
        return f"{self.pace}.used" if self.key.last_used_at else self.pace

    @property
    def awaits_memory(self) -> bool:
        """Whether it may store memories and sent none yet."""
        return self.key.first_write_at is None and Grant(self.key.scopes).may(Right.WRITE)
