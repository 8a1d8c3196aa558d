from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from loci.ground.errors import LociError
from memory.engine.embedding import EmbedderError
from memory.services.reindex import reindex
from tenants.authentication import operator_scope
from tenants.services.tenants import tenant_by_slug, tenant_page


class Command(BaseCommand):
    """Make the indexes anew from the versions."""

    help = "Make the indexes anew from PostgreSQL's own record, for one tenant or all. Recall goes on meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="its slug; all tenants when not given")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenants = [tenant_by_slug(options["tenant"])] if options["tenant"] else _all()
            for tenant in tenants:
                done = reindex(operator_scope(tenant, "reindex"))
                self.stdout.write(f"{tenant}: {done} versions")
        except (LociError, EmbedderError) as error:
            raise CommandError(str(error)) from None


def _all() -> list[UUID]:
    found: list[UUID] = []
    while page := tenant_page(found[-1] if found else None):
        found.extend(page)
    return found
