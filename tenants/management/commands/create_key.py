import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from loci.ground.errors import LociError
from loci.ground.instants import BadInstant, parse_instant
from tenants.authentication import operator_scope
from tenants.services.keys import issue_key
from tenants.services.tenants import tenant_by_slug


class Command(BaseCommand):
    """Issue a service key; it is shown once."""

    help = "Issue a service key of a tenant. It is shown once and stored nowhere."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the tenant")
        parser.add_argument("--scopes", required=True, help="read,write,erase,admin,gateway")
        parser.add_argument("--name", default="")
        parser.add_argument("--expires", help="ISO 8601 instant with an offset, or a date")
        parser.add_argument("--namespaces", default="*", help="comma-separated; * for all (default)")
        parser.add_argument("--filter", action="append", default=[], help="key=value, forced into every read and write")
        parser.add_argument("--agent", default="*", help="the only agent that the key may act as; * for any (default)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            key = issue_key(
                operator_scope(tenant_by_slug(options["slug"]), "create_key"),
                scopes=_names(options["scopes"]),
                name=options["name"],
                namespaces=_names(options["namespaces"]),
                filters=dict(_pair(given) for given in options["filter"]),
                agent=options["agent"],
                expires_at=parse_instant(options["expires"], naive_is_utc=False) if options["expires"] else None,
            )
        except (LociError, BadInstant) as error:
            raise CommandError(str(error)) from None
        if options["json"]:
            self.stdout.write(json.dumps({"tenant": options["slug"], "id": str(key.id), "service_key": key.secret}))
        else:
            self.stdout.write(f"{key.secret}\nIts id is {key.id}. It is not shown again.")


def _names(given: str) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()]


def _pair(given: str) -> tuple[str, Any]:
    """`key=value`; a value that is a JSON number or boolean is taken as such."""
    key, equals, value = given.partition("=")
    if not equals or not key:
        raise CommandError(f"--filter {given}: write key=value")
    try:
        parsed = json.loads(value, parse_constant=str)
    except ValueError:
        return key, value
    return key, parsed if isinstance(parsed, int | float | bool) else value
