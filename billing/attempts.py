"""Tries at a person's password: few for an account from one address, more for an address in all. Counted before the
password is looked at, in one table for all processes, whether or not there is such an account."""

import ipaddress
import math
from dataclasses import dataclass

from django.db import connection
from django.utils.crypto import salted_hmac

from loci.ground.errors import RateLimited


@dataclass(frozen=True, slots=True)
class Limit:
    """`tries` at once; each comes back after `seconds` / `tries`."""

    tries: int
    seconds: float


PER_ACCOUNT = Limit(10, 15 * 60)
PER_ADDRESS = Limit(100, 60 * 60)


def count(account: str, address: str | None) -> None:
    """Count a try at `account` from the network `address`; `RateLimited` with `Retry-After` when it is one too many.

    Without an address, as behind a Unix socket, only the account's tries are counted.
    """
    limits = {_bucket(account, address): PER_ACCOUNT}
    if address:
        limits[_bucket("", address)] = PER_ADDRESS
    with connection.cursor() as cursor:
        cursor.execute(
            "/* attempts.count */ SELECT loci_attempt_take(%s::text[], %s::integer[], %s::double precision[])",
            [
                list(limits),
                [limit.tries for limit in limits.values()],
                [limit.seconds for limit in limits.values()],
            ],
        )
        wait: float = cursor.fetchone()[0]
    if wait:
        seconds = math.ceil(wait)
        raise RateLimited(
            f"Too many tries: try again in {seconds} s.", retry_after=seconds, headers={"Retry-After": str(seconds)}
        )


def forget(account: str, address: str | None) -> None:
    """Give an account its tries from `address` back, after one that succeeded."""
    with connection.cursor() as cursor:
        cursor.execute("/* attempts.forget */ SELECT loci_attempt_forget(%s)", [_bucket(account, address)])


def sweep() -> int:
    """Drop buckets at rest, those of tenants' rates too; how many, at most 10,000 a call."""
    with connection.cursor() as cursor:
        cursor.execute("/* attempts.sweep */ SELECT loci_drop_idle_rates()")
        return int(cursor.fetchone()[0])


def _bucket(account: str, address: str | None) -> str:
    """A name that tells neither account nor address to who reads the table."""
    return salted_hmac("billing.attempts", f"{account}\0{_network(address)}", algorithm="sha256").hexdigest()


def _network(address: str | None) -> str:
    """An IPv6 address by its /64, which is what one subscriber has at their disposal."""
    if not address:
        return ""
    found = ipaddress.ip_address(address)
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else str(found)
