import json
from typing import Any

from django.core.management.base import CommandParser

from loci.ground.commands import LociCommand
from loci.ground.instants import to_text
from tenants.authentication import operator_scope
from tenants.models import ServiceKey
from tenants.services.keys import list_keys
from tenants.services.tenants import tenant_by_slug


class Command(LociCommand):
    """List a tenant's service keys, without their secrets."""

    help = (
        "List the service keys of a tenant, oldest first, at most 1,000: id, last four characters, scopes, namespaces,"
        " what it is bound to, state, name. Their secrets are stored nowhere."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the tenant's slug")
        parser.add_argument("--json", action="store_true", help="print one JSON array")

    def act(self, options: dict[str, Any]) -> None:
        keys = list_keys(operator_scope(tenant_by_slug(options["slug"]), "list_keys"))
        if options["json"]:
            self.stdout.write(json.dumps([_document(key) for key in keys]))
            return
        for key in keys:
            state = "revoked" if key.revoked_at else f"until {to_text(key.expires_at)}" if key.expires_at else "open"
            self.stdout.write(
                f"{key.id}  …{key.tail}  {','.join(key.scopes)}  {','.join(key.namespaces)}"
                f"  {_bound(key)}  {state}  {key.name}"
            )


def _bound(key: ServiceKey) -> str:
    """What the key is bound to beside its namespaces."""
    bound = [f"{name}={json.dumps(value)}" for name, value in sorted(key.filters.items())]
    return ",".join([*bound, *([f"agent={key.agent}"] if key.agent != "*" else [])]) or "-"


def _document(key: ServiceKey) -> dict[str, Any]:
    return {
        "id": str(key.id),
        "name": key.name,
        "tail": key.tail,
        "scopes": key.scopes,
        "namespaces": key.namespaces,
        "filters": key.filters,
        "agent": key.agent,
        "expires_at": to_text(key.expires_at),
        "revoked_at": to_text(key.revoked_at),
        "last_used_at": to_text(key.last_used_at),
        "created_at": to_text(key.created_at),
    }
