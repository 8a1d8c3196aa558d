"""From a credential to a `Scope`. The only way to one from outside."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone

from loci.ground.errors import Forbidden, NotFound, Unauthenticated
from tenants import keys
from tenants.rls import tenant_rows
from tenants.scope import ALL, ROLE_RIGHTS, Actor, Right, Role, Scope, home_of

TOUCH_SECONDS = 60
"""`last_used_at` of a key is kept to this precision, so that most requests write nothing."""
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="loci"'}


def key_in_headers(headers: Mapping[str, str]) -> str | None:
    """The service key that `headers` carry: `X-API-Key`, which wins, or `Authorization: Bearer`."""
    if given := headers.get("X-API-Key"):
        return given.strip()
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def scope_of_key(key: str | None) -> Scope:
    """The scope of a service key; `Unauthenticated` when there is none or it does not hold."""
    if not key:
        raise Unauthenticated("missing service key", code="missing_key", headers=_CHALLENGE)
    row = _look_up(key) if keys.well_formed(key) else None
    if row is None or row["closed"]:
        raise Unauthenticated("invalid service key", code="invalid_key", headers=_CHALLENGE)
    if row["revoked_at"]:  # said only to who holds the whole key
        raise Unauthenticated(
            f"invalid service key: it was revoked on {row['revoked_at']:%Y-%m-%d}; use another",
            code="invalid_key",
            headers=_CHALLENGE,
        )
    now = timezone.now()
    if row["expires_at"] and row["expires_at"] <= now:
        raise Unauthenticated("service key has expired", code="expired_key", headers=_CHALLENGE)
    if row["last_used_at"] is None or (now - row["last_used_at"]).total_seconds() > TOUCH_SECONDS:
        _touch(row["tenant_id"], row["key_id"])
    return scope_from(row)


def _look_up(key: str) -> dict[str, Any] | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM loci_key_lookup(%s)", [keys.digests(key)])
        row = cursor.fetchone()
        return dict(zip([column.name for column in cursor.description], row, strict=True)) if row else None


def _touch(tenant: UUID, key_id: UUID) -> None:
    with tenant_rows(tenant) as cursor:
        cursor.execute(
            "UPDATE tenants_servicekey SET last_used_at = now() WHERE tenant_id = %s AND id = %s", [tenant, key_id]
        )


def scope_from(row: Mapping[str, Any]) -> Scope:
    """The scope that a service key's row describes."""
    filters = row["filters"] if isinstance(row["filters"], dict) else json.loads(row["filters"])
    return Scope(
        tenant=row["tenant_id"],
        rights=frozenset(Right(scope) for scope in row["scopes"]),
        actor=Actor("key", str(row["key_id"])),
        namespaces=frozenset(row["namespaces"]),
        filters=MappingProxyType(filters),
        agent=row["agent"],
        time_zone=row["time_zone"],
        home=home_of(row["namespaces"]),
    )


def memberships(user_id: UUID) -> list[dict[str, Any]]:
    """The open tenants of a person: tenant_id, slug, name, role, time_zone; by slug."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id, slug, name, role, time_zone FROM loci_memberships(%s)", [user_id])
        return [
            dict(zip(("tenant_id", "slug", "name", "role", "time_zone"), row, strict=True)) for row in cursor.fetchall()
        ]


def scope_of_member(user_id: UUID, slug: str) -> Scope:
    """The scope of a person in the tenant `slug`; `NotFound` when they are no member of such a tenant."""
    for row in memberships(user_id):
        if row["slug"] == slug:
            return Scope(
                tenant=row["tenant_id"],
                rights=ROLE_RIGHTS[Role(row["role"])],
                actor=Actor("member", str(user_id)),
                time_zone=row["time_zone"],
            )
    raise NotFound("There is no such tenant.")


def operator_scope(tenant: UUID, command: str) -> Scope:
    """The scope of a management command that acts for `tenant`: every right, no narrowing."""
    return Scope(tenant=tenant, rights=frozenset(Right), actor=Actor("operator", command), namespaces=frozenset({ALL}))


def require(scope: Scope, right: Right) -> None:
    """`Forbidden` unless `scope` holds `right`. The message is the seed's."""
    if not scope.may(right):
        raise Forbidden(
            f"key lacks '{right}' scope" if scope.actor.kind == "key" else f"Your role does not allow '{right}'.",
            code="insufficient_scope",
            required_scope=str(right),
        )
