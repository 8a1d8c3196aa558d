"""Requests per second of a tenant: one upsert, shared by all processes (GCRA)."""

import math
from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from loci.ground.errors import RateLimited
from tenants.scope import Scope


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left: `rps` requests per second (None: no limit), a burst of `burst`, `remaining` of it now."""

    rps: float | None
    burst: int
    remaining: int

    @property
    def headers(self) -> dict[str, str]:
        """`RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers); none without a limit."""
        if self.rps is None:
            return {}
        window = max(1, math.ceil(self.burst / self.rps)) if self.rps > 0 else 1
        return {
            "RateLimit-Policy": f'"requests";q={self.burst};w={window}',
            "RateLimit": f'"requests";r={self.remaining};t={window}',
        }


def take(scope: Scope) -> Allowance:
    """Count one request of the scope's tenant; `RateLimited` with `Retry-After` when it is one too many."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT allowed, rps, burst, remaining, wait FROM loci_rate_take(%s, %s)",
            [scope.tenant, settings.DEFAULT_QUOTAS.get("rps")],
        )
        allowed, rps, burst, remaining, wait = cursor.fetchone()
    allowance = Allowance(rps, burst, remaining)
    if allowed:
        return allowance
    seconds = min(max(math.ceil(wait), 1), 86400)
    raise RateLimited(
        f"Over the limit of {rps:g} requests per second: try again in {seconds} s.",
        headers={**allowance.headers, "Retry-After": str(seconds)},
        quota="rps",
        limit=rps,
    )
