from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing.quotas import NAMES, set_quota
from loci.ground.errors import LociError
from tenants.authentication import operator_scope
from tenants.services.tenants import tenant_by_slug


class Command(BaseCommand):
    """Set limits of a tenant."""

    help = f"Set limits of a tenant: {', '.join(f'{name} ({what})' for name, what in NAMES.items())}."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the tenant")
        parser.add_argument("limits", nargs="+", help="name=number; a negative number goes back to the default")

    def handle(self, *args: Any, **options: Any) -> None:
        limits = dict(_pair(given) for given in options["limits"])
        try:
            set_quota(operator_scope(tenant_by_slug(options["slug"]), "set_quota"), limits)
        except LociError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{options['slug']}: " + ", ".join(f"{name}={limit:g}" for name, limit in limits.items()))


def _pair(given: str) -> tuple[str, float]:
    name, _, number = given.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise CommandError(f"'{given}': write name=number, such as memories=10000") from None
