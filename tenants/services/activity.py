"""Activity: the audit trail as people read it, newest first, a page at a time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from loci.ground.errors import Forbidden
from tenants.authentication import require
from tenants.models import AuditEvent, Membership, ServiceKey
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was done. `who` is the name of a member or key as it is now; empty when there is none. `about` is
    that of the key that it was done to."""

    id: UUID
    at: datetime
    action: str
    actor: str
    who: str
    detail: Mapping[str, Any]
    about: str = ""


@dataclass(frozen=True, slots=True)
class ActivityPage:
    """Events, newest first; `before` is where the next page begins, None at the end."""

    events: list[Event]
    before: UUID | None


def list_activity(scope: Scope, *, limit: int = 20, before: UUID | None = None) -> ActivityPage:
    """What was done in the scope's tenant, by whomever; at most `limit` (1 to 200), before the event `before`.

    An event's id is made when it happens, so its order is that of time. A narrowed credential may not know.
    """
    require(scope, Right.READ)
    if not scope.whole:
        raise Forbidden("A narrowed key does not see what others did.")
    with tenant_rows(scope.tenant):
        query = AuditEvent.objects.filter(tenant_id=scope.tenant)
        if before is not None:
            query = query.filter(id__lt=before)
        found = list(query.order_by("-id")[: limit + 1])
        names = _names(scope, {event.actor for event in found} | {_key(event) for event in found})
    events = [
        Event(
            event.id, event.at, event.action, event.actor, names.get(event.actor, ""), event.detail,
            names.get(_key(event), ""),
        )
        for event in found[:limit]
    ]  # fmt: skip
    return ActivityPage(events, events[-1].id if len(found) > limit else None)


def _key(event: AuditEvent) -> str:
    """The key that an event is about, as an actor is written."""
    key = event.detail.get("key")
    return f"key:{key}" if event.action.startswith("key.") and isinstance(key, str) else ""


def names_of(scope: Scope, actors: Iterable[str]) -> dict[str, str]:
    """Actor → name, for those members and keys that are still there; none for a narrowed credential."""
    require(scope, Right.READ)
    if not scope.whole:
        return {}
    with tenant_rows(scope.tenant):
        return _names(scope, set(actors))


def _names(scope: Scope, actors: Iterable[str]) -> dict[str, str]:
    """Actor → name, for those members and keys that are still there; two statements, however many events."""
    ids: dict[str, list[str]] = {"member": [], "key": []}
    for actor in actors:
        kind, _, name = actor.partition(":")
        ids.get(kind, []).append(name)
    found = {}
    if ids["member"]:
        members = Membership.objects.filter(tenant_id=scope.tenant, user_id__in=ids["member"])
        for person, name, email in members.values_list("user_id", "user__name", "user__email"):
            found[f"member:{person}"] = name or email
    if ids["key"]:
        keys = ServiceKey.objects.filter(tenant_id=scope.tenant, id__in=ids["key"])
        for key, name, tail in keys.values_list("id", "name", "tail"):
            found[f"key:{key}"] = name or f"…{tail}"
    return found
