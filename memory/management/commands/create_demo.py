import json
import secrets
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from loci.ground.commands import LociCommand
from loci.ground.errors import NotFound
from tenants.authentication import operator_scope
from tenants.scope import DEFAULT, Role
from tenants.services.keys import issue_key
from tenants.services.tenants import add_member, create_tenant, tenant_by_slug

DOCUMENTATION = "loci-docs"
"""The namespace into which `make run` reads Loci's own documentation."""
DAYS = 365


class Command(LociCommand):
    """Make the demo tenant with an owner and a key."""

    help = (
        "Make a demo tenant with an owner and a service key. For one that is there already: a new key, and a new"
        " password for the owner."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--slug", default="demo", help="the tenant's slug (default: demo)")
        parser.add_argument(
            "--email", default="owner@demo.example", help="the owner's e-mail address (default: owner@demo.example)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def act(self, options: dict[str, Any]) -> None:
        password = secrets.token_urlsafe(12)
        try:
            tenant = tenant_by_slug(options["slug"])
        except NotFound:
            tenant = create_tenant(options["slug"], name="Demo", by="create_demo")
        user = add_member(tenant, options["email"], Role.OWNER, password=password, by="create_demo")
        user.set_password(password)
        user.save(update_fields=["password"])
        key = issue_key(
            operator_scope(tenant, "create_demo"),
            scopes=["read", "write"],
            name="make run",
            namespaces=[DEFAULT, DOCUMENTATION],
            expires_at=timezone.now() + timedelta(days=DAYS),
        )
        facts = {
            "tenant": options["slug"],
            "service_key": key.secret,
            "email": options["email"],
            "password": password,
        }
        self.stdout.write(json.dumps(facts) if options["json"] else "\n".join(f"{k}: {v}" for k, v in facts.items()))
