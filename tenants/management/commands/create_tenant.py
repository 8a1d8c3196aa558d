import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from loci.ground.errors import LociError
from tenants.services.tenants import create_tenant


class Command(BaseCommand):
    """Make a tenant."""

    help = "Make a tenant."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="1 to 63 lower-case letters, digits and hyphens")
        parser.add_argument("--name", default="", help="what people read; the slug when not given")
        parser.add_argument("--time-zone", default="UTC", help="for 'yesterday' and the like (Europe/Berlin)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = create_tenant(options["slug"], name=options["name"], time_zone=options["time_zone"])
        except LociError as error:
            raise CommandError(str(error)) from None
        if options["json"]:
            self.stdout.write(json.dumps({"tenant": options["slug"], "id": str(tenant)}))
        else:
            self.stdout.write(f"Made tenant {options['slug']} ({tenant}).")
