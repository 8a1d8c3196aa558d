"""Tenants: made, found, their secret."""

import re
import secrets
from functools import lru_cache
from uuid import UUID
from zoneinfo import available_timezones

from django.db import IntegrityError, connection

from loci.ground.crypto import seal, unseal
from loci.ground.errors import Conflict, NotFound, RuleBroken
from loci.ground.ids import uuid7
from loci.ground.texts import storable
from tenants import audit
from tenants.authentication import operator_scope
from tenants.models import Tenant, User
from tenants.rls import tenant_rows
from tenants.scope import Role
from tenants.services.members import enrol

DEFAULT_TIME_ZONE = "UTC"
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def create_tenant(slug: str, *, name: str = "", time_zone: str = DEFAULT_TIME_ZONE, by: str = "create_tenant") -> UUID:
    """Make a tenant; its id. `RuleBroken` for a slug that is no DNS label, `Conflict` when it is taken."""
    if not _SLUG.fullmatch(slug):
        raise RuleBroken(f"'{slug}' is no slug: use 1 to 63 lower-case letters, digits and inner hyphens.")
    if len(name) > 200:
        raise RuleBroken("The name has more than 200 characters.")
    if not storable(name):
        raise RuleBroken("The name holds a NUL character or a lone surrogate.")
    if time_zone not in available_timezones():
        raise RuleBroken(f"There is no time zone '{time_zone}': write one such as Europe/Berlin.")
    tenant = uuid7()
    try:
        with tenant_rows(tenant) as cursor:
            secret = seal(secrets.token_bytes(32))
            Tenant.objects.create(id=tenant, slug=slug, name=name or slug, time_zone=time_zone, sealed_secret=secret)
            audit.record(cursor, operator_scope(tenant, by), "tenant.created", slug=slug)
    except IntegrityError as error:
        raise Conflict(f"There is a tenant '{slug}' already.", code="tenant_exists") from error
    return tenant


def tenant_by_slug(slug: str) -> UUID:
    """The id of the tenant `slug`; `NotFound` when there is none."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT loci_tenant_by_slug(%s)", [slug])
        found: UUID | None = cursor.fetchone()[0]
    if found is None:
        raise NotFound(f"There is no tenant '{slug}'.")
    return found


def tenant_page(after: UUID | None, limit: int = 500) -> list[UUID]:
    """Ids of tenants above `after`, in order; at most `limit` (1 to 1,000)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM loci_tenant_page(%s, %s)", [after, limit])
        return [row[0] for row in cursor.fetchall()]


@lru_cache(maxsize=4096)
def tenant_secret(tenant: UUID) -> bytes:
    """The 32-byte key behind the tenant's content-addressed ids. Never changes, hence the cache."""
    with tenant_rows(tenant):
        return unseal(bytes(Tenant.objects.values_list("sealed_secret", flat=True).get(id=tenant)))


def add_member(tenant: UUID, email: str, role: Role, *, password: str | None = None, by: str = "operator") -> User:
    """Give a person a role in a tenant; the person is made when there is none of that address."""
    return enrol(operator_scope(tenant, by), email, role, password=password).user


def time_zone_of(tenant: UUID) -> str:
    """The IANA name of the tenant's time zone; inside `tenant_rows` of it."""
    return Tenant.objects.values_list("time_zone", flat=True).get(id=tenant)


def set_time_zone(tenant: UUID, time_zone: str) -> None:
    """Give the tenant another time zone, which has been checked; inside `tenant_rows` of it."""
    Tenant.objects.filter(id=tenant).update(time_zone=time_zone)


def slug_of(tenant: UUID) -> str:
    """The slug of a tenant that is there."""
    with tenant_rows(tenant):
        return Tenant.objects.values_list("slug", flat=True).get(id=tenant)
