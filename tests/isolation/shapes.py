"""The shapes that a service key can have, and a tenant's ring of one of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from tenants import keys
from tenants.authentication import operator_scope
from tenants.models import ServiceKey
from tenants.rls import tenant_rows
from tenants.services.keys import issue_key, revoke_key


@dataclass(frozen=True)
class Shape:
    """What a key may do and see; `refused` is the code of the 401 that it gets instead, if any."""

    name: str
    scopes: tuple[str, ...] = ("read", "write")
    namespaces: tuple[str, ...] = ("*",)
    filters: Mapping[str, Any] = field(default_factory=dict)
    agent: str = "*"
    refused: str = ""

    def may(self, right: str) -> bool:
        return right in self.scopes or ("admin" in self.scopes and right in ("read", "write"))

    @property
    def whole(self) -> bool:
        """Whether nothing of the tenant is out of its reach."""
        return self.namespaces == ("*",) and not self.filters and self.agent == "*"


SHAPES = (
    Shape("read", ("read",)),
    Shape("write", ("write",)),
    Shape("read_write"),
    Shape("admin", ("admin",)),
    Shape("expired", refused="expired_key"),
    Shape("revoked", refused="invalid_key"),
    Shape("by_namespace", namespaces=("red",)),
    Shape("by_filter", filters={"project": "apollo"}),
    Shape("by_agent", agent="ada"),
    Shape("by_all", namespaces=("red", "blue"), filters={"project": "apollo"}, agent="ada"),
    Shape("no_namespace", namespaces=()),
    Shape("malformed", refused="invalid_key"),
    Shape("bad_checksum", refused="invalid_key"),
    Shape("missing", refused="missing_key"),
)
OTHER_TENANT = Shape("other_tenant")


def secret_of(shape: Shape, tenant: UUID) -> str | None:
    """A key of `shape` for `tenant`; its state is set past the services where they refuse to make such a one."""
    if shape.name == "missing":
        return None
    if shape.name == "malformed":
        return "loci_sk_" + "x" * 20
    scope = operator_scope(tenant, "isolation")
    issued = issue_key(
        scope,
        scopes=shape.scopes,
        namespaces=shape.namespaces or ("*",),
        filters=shape.filters,
        agent=shape.agent,
    )
    row: dict[str, Any] = {}
    if shape.name == "expired":
        row["expires_at"] = timezone.now() - timedelta(seconds=1)
    if not shape.namespaces:
        row["namespaces"] = []
    if row:
        with tenant_rows(tenant):
            ServiceKey.objects.filter(tenant_id=tenant, id=issued.id).update(**row)
    if shape.name == "revoked":
        revoke_key(scope, issued.id)
    if shape.name == "bad_checksum":
        last = "0" if issued.secret[-1] != "0" else "1"
        broken = issued.secret[:-1] + last
        assert not keys.well_formed(broken)
        return broken
    return issued.secret
