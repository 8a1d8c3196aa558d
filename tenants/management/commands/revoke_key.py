from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from loci.ground.errors import LociError
from tenants.authentication import operator_scope
from tenants.services.keys import revoke_key, tenant_of_key


class Command(BaseCommand):
    """Revoke a service key, at once and everywhere."""

    help = "Revoke a service key by its id, at once and everywhere."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", type=UUID, help="the key's id, as list_keys shows it")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            revoke_key(operator_scope(tenant_of_key(options["id"]), "revoke_key"), options["id"])
        except LociError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Revoked {options['id']}.")
