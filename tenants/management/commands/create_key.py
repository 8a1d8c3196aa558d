import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from loci.ground.commands import LociCommand
from loci.ground.instants import parse_instant
from tenants.authentication import operator_scope
from tenants.services.keys import issue_key
from tenants.services.tenants import tenant_by_slug


class Command(LociCommand):
    """Issue a service key; it is shown once."""

    help = "Issue a service key of a tenant. It is shown once and stored nowhere."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the tenant's slug")
        parser.add_argument(
            "--scopes", required=True, help="of read,write,erase,admin,gateway, comma-separated (required)"
        )
        parser.add_argument("--name", default="", help="what people call it, up to 200 characters (default: none)")
        parser.add_argument(
            "--expires", help="an ISO 8601 instant with an offset, or a date for midnight UTC (default: never)"
        )
        parser.add_argument(
            "--namespaces", default="*", help="the only ones that it reaches, comma-separated (default: * for all)"
        )
        parser.add_argument(
            "--filter", action="append", default=[],
            help="key=value, forced into every read and write; again for another (default: none)",
        )  # fmt: skip
        parser.add_argument("--agent", default="*", help="the only agent that it may act as (default: * for any)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def act(self, options: dict[str, Any]) -> None:
        key = issue_key(
            operator_scope(tenant_by_slug(options["slug"]), "create_key"),
            scopes=_names(options["scopes"]),
            name=options["name"],
            namespaces=_names(options["namespaces"]),
            filters=dict(_pair(given) for given in options["filter"]),
            agent=options["agent"],
            expires_at=parse_instant(options["expires"], naive_is_utc=False) if options["expires"] else None,
        )
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
    except (ValueError, RecursionError):
        return key, value
    return key, parsed if isinstance(parsed, int | float | bool) else value
