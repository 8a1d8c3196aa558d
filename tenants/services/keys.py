"""Service keys: issued, listed, looked up, revoked. All of it is for whoever holds `admin`, within their own reach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection
from django.db.backends.utils import CursorWrapper
from django.db.models import BooleanField, Case, Q, QuerySet, Value, When
from django.utils import timezone

from loci.ground.errors import Conflict, NotFound
from loci.ground.ids import uuid7
from tenants import audit, keys
from tenants.authentication import require
from tenants.models import ServiceKey
from tenants.rls import tenant_rows
from tenants.scope import ALL, Right, Scope
from tenants.services.grants import check_grant


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key; `secret` is shown once and stored nowhere."""

    id: UUID
    secret: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of keys ended: among those that hold or those that have ended, and after which key."""

    ended: bool
    key: UUID


@dataclass(frozen=True, slots=True)
class KeyPage:
    """Keys, those that hold first, newest first; `next_after` is where the next page begins, None at the end."""

    keys: Sequence[ServiceKey]
    next_after: Place | None


def issue_key(
    scope: Scope,
    *,
    scopes: Sequence[str],
    name: str = "",
    namespaces: Sequence[str] = (ALL,),
    filters: Mapping[str, Any] | None = None,
    agent: str = ALL,
    expires_at: datetime | None = None,
    key_id: UUID | None = None,
) -> IssuedKey:
    """Issue a key for the scope's tenant; it can do what the scope can, or less.

    `namespaces`: an explicit `*` for all; an empty list is refused, since such a key could see nothing. Without
    `default` among them, a write that names none goes to the first.
    `filters`: metadata key → scalar that is forced into every read and stamped on every write.
    `key_id`: the id that the key is to have, made by Loci and not by the caller; `Conflict` when it was issued before.
    """
    require(scope, Right.ADMIN)
    filters = dict(filters or {})
    check_grant(
        scope, scopes=scopes, name=name, namespaces=namespaces, filters=filters, agent=agent, expires_at=expires_at
    )
    secret = keys.make()
    pepper_id, digest = keys.newest_digest(secret)
    try:
        with tenant_rows(scope.tenant) as cursor:
            row = ServiceKey.objects.create(
                id=key_id or uuid7(),
                tenant_id=scope.tenant,
                name=name,
                digest=digest,
                pepper_id=pepper_id,
                tail=secret[-4:],
                scopes=sorted(set(scopes)),
                namespaces=list(dict.fromkeys(namespaces)),
                filters=filters,
                agent=agent,
                expires_at=expires_at,
                created_by=str(scope.actor),
            )
            audit.record(cursor, scope, "key.issued", key=str(row.id), scopes=row.scopes, namespaces=row.namespaces)
    except IntegrityError as error:
        raise Conflict("This key was issued before, and shown then.", code="key_exists") from error
    return IssuedKey(row.id, secret)


def list_keys(scope: Scope) -> list[ServiceKey]:
    """The keys within the scope's reach, oldest first; at most 1,000."""
    require(scope, Right.ADMIN)
    with tenant_rows(scope.tenant):
        return list(_within(scope)[:1000])


def page_of_keys(scope: Scope, *, after: Place | None = None, limit: int = 50) -> KeyPage:
    """The keys within the scope's reach, those that hold first; at most `limit` (1 to 200)."""
    require(scope, Right.ADMIN)
    over = Q(revoked_at__isnull=False) | Q(expires_at__lte=timezone.now())
    ended = Case(When(over, then=Value(True)), default=Value(False), output_field=BooleanField())
    query = _within(scope).annotate(ended=ended).order_by("ended", "-id")
    if after:
        same = Q(ended=after.ended, id__lt=after.key)
        query = query.filter(same if after.ended else same | Q(ended=True))
    with tenant_rows(scope.tenant):
        found = list(query[: limit + 1])
    last = found[limit - 1] if len(found) > limit else None
    return KeyPage(found[:limit], Place(last.ended, last.id) if last else None)


def get_key(scope: Scope, key_id: UUID) -> ServiceKey:
    """A key within the scope's reach; `NotFound` when there is none."""
    require(scope, Right.ADMIN)
    with tenant_rows(scope.tenant):
        found = _within(scope).filter(id=key_id).first()
    if found is None:
        raise NotFound("There is no such key.")
    return found


def own_keys(scope: Scope, beginning: str, *, limit: int = 3) -> list[ServiceKey]:
    """The keys that hold, were made by the scope's actor, and whose name begins so; the newest first."""
    require(scope, Right.ADMIN)
    made = _within(scope).filter(created_by=str(scope.actor), name__startswith=beginning, revoked_at=None)
    with tenant_rows(scope.tenant):
        return list(made.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now())).order_by("-id")[:limit])


def any_in_use(scope: Scope) -> bool:
    """Whether a key that a person made was ever used; those that operators made are not looked at."""
    require(scope, Right.ADMIN)
    with tenant_rows(scope.tenant):
        return _within(scope).filter(created_by__startswith="member:", last_used_at__isnull=False).exists()


def _within(scope: Scope) -> QuerySet[ServiceKey]:
    """The tenant's keys that reach no further than the scope itself."""
    found = ServiceKey.objects.filter(tenant_id=scope.tenant)
    if not scope.every_namespace:
        found = found.filter(namespaces__contained_by=sorted(scope.namespaces))
    if scope.filters:
        found = found.filter(filters__contains=dict(scope.filters))
    return found if scope.agent == ALL else found.filter(agent=scope.agent)


def revoke_key(scope: Scope, key_id: UUID) -> None:
    """Revoke a key within the scope's reach, at once and everywhere. Revoking it again changes nothing."""
    require(scope, Right.ADMIN)
    with tenant_rows(scope.tenant) as cursor:
        changed = _within(scope).filter(id=key_id, revoked_at=None).update(revoked_at=timezone.now())
        if not changed and not _within(scope).filter(id=key_id).exists():
            raise NotFound("There is no such key.")
        if changed:
            audit.record(cursor, scope, "key.revoked", key=str(key_id))


def note_write(cursor: CursorWrapper, scope: Scope) -> None:
    """Keep when the scope's key first sent something to remember, known already or not; once for each key."""
    if scope.actor.kind == "key":
        cursor.execute(
            "UPDATE tenants_servicekey SET first_write_at = now()"
            " WHERE tenant_id = %s AND id = %s AND first_write_at IS NULL",
            [scope.tenant, scope.actor.id],
        )


def still_holds(scope: Scope) -> bool:
    """Whether the credential behind a stored scope is still good; true for anything but a service key."""
    if scope.actor.kind != "key":
        return True
    with tenant_rows(scope.tenant):
        good = ServiceKey.objects.filter(tenant_id=scope.tenant, id=scope.actor.id, revoked_at=None)
        return good.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now())).exists()


def tenant_of_key(key_id: UUID) -> UUID:
    """The tenant that a key id belongs to; `NotFound` when there is none. For operators only."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT loci_key_tenant(%s)", [key_id])
        found: UUID | None = cursor.fetchone()[0]
    if found is None:
        raise NotFound(f"There is no key {key_id}.")
    return found
