import json
from typing import Any

from django.core.management.base import CommandParser

from loci.ground.commands import LociCommand
from loci.ground.instants import to_text
from tenants.authentication import operator_scope
from tenants.services.members import Member, list_members
from tenants.services.tenants import tenant_by_slug


class Command(LociCommand):
    """List a tenant's members."""

    help = "List the members of a tenant by e-mail address, at most 1,000: address, role, last sign-in, name."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the tenant's slug")
        parser.add_argument("--json", action="store_true", help="print one JSON array")

    def act(self, options: dict[str, Any]) -> None:
        members = list_members(operator_scope(tenant_by_slug(options["slug"]), "list_members"))
        if options["json"]:
            self.stdout.write(json.dumps([_document(member) for member in members]))
            return
        for member in members:
            seen = to_text(member.last_sign_in) or "never"
            state = seen if member.active else "closed"
            self.stdout.write(f"{member.email}  {member.role}  {state}  {member.name}".rstrip())


def _document(member: Member) -> dict[str, Any]:
    return {
        "id": str(member.id),
        "email": member.email,
        "name": member.name,
        "role": member.role,
        "active": member.active,
        "since": to_text(member.since),
        "last_sign_in": to_text(member.last_sign_in),
    }
