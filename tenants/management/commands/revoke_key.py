from typing import Any
from uuid import UUID

from django.core.management.base import CommandParser

from loci.ground.commands import LociCommand
from tenants.authentication import operator_scope
from tenants.services.keys import revoke_key, tenant_of_key


class Command(LociCommand):
    """Revoke a service key, at once and everywhere."""

    help = "Revoke a service key by its id, at once and everywhere. Revoking it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", type=UUID, help="the key's id, as list_keys shows it")

    def act(self, options: dict[str, Any]) -> None:
        revoke_key(operator_scope(tenant_of_key(options["id"]), "revoke_key"), options["id"])
        self.stdout.write(f"Revoked {options['id']}.")
