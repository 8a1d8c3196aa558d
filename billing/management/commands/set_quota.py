from typing import Any

from django.core.management.base import CommandError, CommandParser

from billing.quotas import NAMES, set_quota
from loci.ground.commands import LociCommand
from tenants.authentication import operator_scope
from tenants.services.tenants import tenant_by_slug


class Command(LociCommand):
    """Set limits of a tenant."""

    help = f"Set limits of a tenant: {', '.join(f'{name} ({what})' for name, what in NAMES.items())}."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the tenant's slug")
        parser.add_argument(
            "limits",
            nargs="+",
            help="name=number; 0 refuses everything, a negative number goes back to the default (DEFAULT_QUOTAS)",
        )

    def act(self, options: dict[str, Any]) -> None:
        limits = dict(_pair(given) for given in options["limits"])
        set_quota(operator_scope(tenant_by_slug(options["slug"]), "set_quota"), limits)
        self.stdout.write(f"{options['slug']}: " + ", ".join(f"{name}={limit:g}" for name, limit in limits.items()))


def _pair(given: str) -> tuple[str, float]:
    name, _, number = given.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise CommandError(f"'{given}': write name=number, such as memories=10000") from None
