"""Service keys: issued, listed, revoked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from loci.ground.errors import NotFound, RuleBroken
from tenants import audit, keys
from tenants.models import ServiceKey
from tenants.rls import tenant_rows
from tenants.scope import ALL, Right, Scope


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key; `secret` is shown once and stored nowhere."""

    id: UUID
    secret: str


def issue_key(
    scope: Scope,
    *,
    scopes: Sequence[str],
    name: str = "",
    namespaces: Sequence[str] = (ALL,),
    filters: Mapping[str, Any] | None = None,
    agent: str = ALL,
    expires_at: datetime | None = None,
) -> IssuedKey:
    """Issue a key for the scope's tenant.

    `namespaces`: an explicit `*` for all; an empty list is refused, since such a key could see nothing.
    `filters`: metadata key → scalar that is forced into every read and stamped on every write.
    """
    _check(scopes, namespaces, filters or {}, expires_at)
    if len(name) > 200 or not 1 <= len(agent) <= 128:
        raise RuleBroken("A name has at most 200 characters, an agent 1 to 128.")
    secret = keys.make()
    pepper_id, digest = keys.newest_digest(secret)
    with tenant_rows(scope.tenant) as cursor:
        row = ServiceKey.objects.create(
            tenant_id=scope.tenant,
            name=name,
            digest=digest,
            pepper_id=pepper_id,
            tail=secret[-4:],
            scopes=sorted(set(scopes)),
            namespaces=sorted(set(namespaces)),
            filters=dict(filters or {}),
            agent=agent,
            expires_at=expires_at,
            created_by=str(scope.actor),
        )
        audit.record(cursor, scope, "key.issued", key=str(row.id), scopes=row.scopes, namespaces=row.namespaces)
    return IssuedKey(row.id, secret)


def _check(
    scopes: Sequence[str], namespaces: Sequence[str], filters: Mapping[str, Any], expires_at: datetime | None
) -> None:
    known = [right.value for right in Right]
    if not scopes or (unknown := sorted(set(scopes) - set(known))):
        said = f"Unknown scope '{unknown[0]}'" if scopes else "A key needs at least one scope"
        raise RuleBroken(f"{said}: choose from {', '.join(known)}.")
    if not namespaces or any(not name or len(name) > 128 for name in namespaces):
        raise RuleBroken("Name at least one namespace (1 to 128 characters each), or * for all of them.")
    for key, value in filters.items():
        if not isinstance(value, str | int | float | bool) or not 0 < len(key) <= 120 or key.startswith("_"):
            raise RuleBroken(f"filter '{key[:120]}': bind a metadata key to one string, number or boolean.")
        if "." in key:  # `a.b` would also be written as {"a": {"b": ...}}
            raise RuleBroken(f"filter '{key}': a bound key has no dot.")
        if isinstance(value, int | float) and not -(2.0**63) <= value < 2.0**63:  # nor NaN
            raise RuleBroken(f"filter '{key}': the number is out of range.")
    if expires_at and expires_at <= timezone.now():
        raise RuleBroken("The key would have expired already: give a later date.")


def list_keys(scope: Scope) -> list[ServiceKey]:
    """The keys of the scope's tenant, oldest first; at most 1,000."""
    with tenant_rows(scope.tenant):
        return list(ServiceKey.objects.filter(tenant_id=scope.tenant)[:1000])


def revoke_key(scope: Scope, key_id: UUID) -> None:
    """Revoke a key of the scope's tenant, at once and everywhere. Revoking it again changes nothing."""
    with tenant_rows(scope.tenant) as cursor:
        changed = ServiceKey.objects.filter(tenant_id=scope.tenant, id=key_id, revoked_at=None).update(
            revoked_at=timezone.now()
        )
        if not changed and not ServiceKey.objects.filter(tenant_id=scope.tenant, id=key_id).exists():
            raise NotFound("There is no such key.")
        if changed:
            audit.record(cursor, scope, "key.revoked", key=str(key_id))


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
