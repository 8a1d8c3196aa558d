"""`Idempotency-Key`: the first answer is kept for a day and given again; a concurrent twin is told to wait."""

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

from django.db import connection

from loci.ground.errors import Conflict, Fault, InvalidRequest
from tenants.rls import tenant_rows
from tenants.scope import Scope
from tenants.services.tenants import tenant_secret

LEASE_SECONDS = 60
KEEP_HOURS = 24
Answer = tuple[int, Any]


def _digest(*parts: str) -> bytes:
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def once(scope: Scope, key: str | None, *, route: str, body: Any, act: Callable[[], Answer]) -> tuple[Answer, bool]:
    """`act()` or, for a key that was used before, its stored answer; and whether it was a replay.

    The same key with another body is an `InvalidRequest`, with the first attempt still under way a `Conflict`.
    Keys are scoped to the credential and the route. A failed attempt leaves no trace, so that it can be tried again.
    """
    if key is None:
        return act(), False
    key = key.strip().strip('"')
    if not 1 <= len(key) <= 255:
        raise InvalidRequest([Fault(("header", "Idempotency-Key"), "give 1 to 255 characters")])
    digest = _digest(str(scope.actor), route, key)
    # keyed, so that a record that outlives an erasure cannot confirm a guess at what was sent
    said = json.dumps(body, sort_keys=True).encode()
    body_digest = hmac.new(tenant_secret(scope.tenant), said, hashlib.sha256).digest()
    if (stored := _claim(scope, digest, body_digest)) is not None:
        return stored, True
    try:
        status, answer = act()
    except BaseException:
        _forget(scope, digest)
        raise
    _store(scope, digest, status, answer)
    return (status, answer), False


def _claim(scope: Scope, digest: bytes, body_digest: bytes) -> Answer | None:
    """None when the caller now owns the key; the stored answer when there is one."""
    with tenant_rows(scope.tenant) as cursor:
        cursor.execute(
            "INSERT INTO tenants_idempotencyrecord AS r (tenant_id, digest, body_digest, lease_until, expires_at)"
            " VALUES (%(tenant)s, %(digest)s, %(body)s, now() + make_interval(secs => %(lease)s),"
            " now() + make_interval(hours => %(keep)s))"
            " ON CONFLICT (tenant_id, digest) DO UPDATE SET body_digest = excluded.body_digest,"
            " status = NULL, answer = NULL, lease_until = excluded.lease_until, expires_at = excluded.expires_at"
            " WHERE r.expires_at <= now() OR (r.status IS NULL AND r.lease_until <= now())"
            " RETURNING 1",
            {
                "tenant": scope.tenant,
                "digest": digest,
                "body": body_digest,
                "lease": LEASE_SECONDS,
                "keep": KEEP_HOURS,
            },
        )
        if cursor.fetchone():
            return None
        cursor.execute(
            "SELECT body_digest, status, answer FROM tenants_idempotencyrecord WHERE tenant_id = %s AND digest = %s",
            [scope.tenant, digest],
        )
        row = cursor.fetchone()
    if row is None or (row[1] is None and bytes(row[0]) == body_digest):
        raise Conflict(
            "A request with this Idempotency-Key is still under way: try again in a moment.",
            code="idempotency_in_flight",
            headers={"Retry-After": "1"},
        )
    if bytes(row[0]) != body_digest:
        raise InvalidRequest(
            [Fault(("header", "Idempotency-Key"), "was used with another body: take a new key", "idempotency_reuse")]
        )
    return row[1], json.loads(row[2]) if isinstance(row[2], str) else row[2]


def _store(scope: Scope, digest: bytes, status: int, answer: Any) -> None:
    with tenant_rows(scope.tenant) as cursor:
        cursor.execute(
            "UPDATE tenants_idempotencyrecord SET status = %s, answer = %s::jsonb WHERE tenant_id = %s AND digest = %s",
            [status, json.dumps(answer), scope.tenant, digest],
        )


def _forget(scope: Scope, digest: bytes) -> None:
    with tenant_rows(scope.tenant) as cursor:
        cursor.execute(
            "DELETE FROM tenants_idempotencyrecord WHERE tenant_id = %s AND digest = %s", [scope.tenant, digest]
        )


def sweep() -> int:
    """Drop expired records of all tenants; how many, at most 10,000 a call."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT loci_drop_expired_answers()")
        return int(cursor.fetchone()[0])
