import json
from typing import Any

from django.core.management.base import CommandParser

from loci.ground.commands import LociCommand
from tenants.services.tenants import create_tenant


class Command(LociCommand):
    """Make a tenant."""

    help = "Make a tenant and print its id. create_key gives it a key, create_member a person."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="1 to 63 lower-case letters, digits and inner hyphens")
        parser.add_argument("--name", default="", help="what people read, up to 200 characters (default: the slug)")
        parser.add_argument(
            "--time-zone", default="UTC", help="in which the console shows instants, as Europe/Berlin (default: UTC)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def act(self, options: dict[str, Any]) -> None:
        tenant = create_tenant(options["slug"], name=options["name"], time_zone=options["time_zone"])
        if options["json"]:
            self.stdout.write(json.dumps({"tenant": options["slug"], "id": str(tenant)}))
        else:
            self.stdout.write(f"Made tenant {options['slug']} ({tenant}).")
