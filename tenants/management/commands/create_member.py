import json
import secrets
import sys
from getpass import getpass
from typing import Any

from django.core.management.base import CommandError, CommandParser

from loci.ground.commands import LociCommand
from tenants.authentication import operator_scope
from tenants.scope import Role
from tenants.services.members import Enrolment, check_password, enrol, person
from tenants.services.tenants import tenant_by_slug


class Command(LociCommand):
    """Give a person a role in a tenant."""

    help = (
        "Give a person a role in a tenant, in the place of the role that they have there. Somebody new gets a password"
        " that is made up and printed once; somebody whom Loci knows keeps theirs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the person's e-mail address, with which they sign in")
        parser.add_argument("--tenant", required=True, help="the tenant's slug (required)")
        parser.add_argument(
            "--role",
            required=True,
            choices=[role.value for role in Role],
            help="owner and admin may do everything, a developer reads and writes, a viewer reads (required)",
        )
        parser.add_argument(
            "--ask-password",
            action="store_true",
            help="ask for somebody new's password, at least 10 characters, instead of making one up",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def act(self, options: dict[str, Any]) -> None:
        scope = operator_scope(tenant_by_slug(options["tenant"]), "create_member")
        password = None
        if person(options["email"]) is None:
            password = _asked() if options["ask_password"] else secrets.token_urlsafe(12)
        done = enrol(scope, options["email"], Role(options["role"]), password=password)
        shown = None if options["ask_password"] or done.known else password
        if options["json"]:
            facts = {"tenant": options["tenant"], "id": str(done.user.id), "email": done.user.email}
            more = {"role": options["role"], "former_role": done.former, "password": shown}
            self.stdout.write(json.dumps(facts | more))
        else:
            self.stdout.write("\n".join(_said(done, options["tenant"], options["role"], shown)))


def _said(done: Enrolment, tenant: str, role: str, password: str | None) -> list[str]:
    before = f", and was {done.former} before" if done.former and done.former != role else ""
    lines = [f"{done.user.email} is {role} of {tenant}{before}."]
    if password:
        lines += [f"Password: {password}", "It is not shown again."]
    elif done.known:
        lines += ["They sign in with the password that they have; `changepassword` sets another."]
    return lines


def _asked() -> str:
    if not sys.stdin.isatty():
        raise CommandError("--ask-password needs a terminal to ask at: leave it out to have one made up.", returncode=2)
    password = getpass("Password: ")
    check_password(password)
    if getpass("Again: ") != password:
        raise CommandError("The two differ: nothing was changed.")
    return password
