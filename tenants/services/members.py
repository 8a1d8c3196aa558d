"""Members: people with a role in a tenant."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from loci.ground.errors import Conflict, RuleBroken
from tenants import audit
from tenants.models import Membership, User
from tenants.rls import tenant_rows
from tenants.scope import Role, Scope

MOST = 1000


@dataclass(frozen=True, slots=True)
class Enrolment:
    """What became of a person: whether Loci knew them before, and the role that they had in the tenant, if any."""

    user: User
    known: bool
    former: Role | None


@dataclass(frozen=True, slots=True)
class Member:
    """A person's place in a tenant."""

    id: UUID
    email: str
    name: str
    role: Role
    active: bool
    since: datetime
    last_sign_in: datetime | None


def enrol(scope: Scope, email: str, role: Role, *, password: str | None = None) -> Enrolment:
    """Give a person a role in the scope's tenant, in the place of one that they have there.

    The person is made when there is none of that address, with `password` or, for None, without one that fits.
    Somebody who is there already keeps their own.
    """
    email = email.strip().lower()
    try:
        User._meta.get_field("email").clean(email, None)
    except ValidationError:
        raise RuleBroken(f"'{email[:100]}' is no e-mail address: write one such as mira@example.org.") from None
    with tenant_rows(scope.tenant) as cursor:
        user = person(email)
        known = user is not None
        user = user or _made(email, password)
        before = Membership.objects.filter(tenant_id=scope.tenant, user=user).first()
        former = Role(before.role) if before else None
        if former != role:
            Membership.objects.update_or_create(tenant_id=scope.tenant, user=user, defaults={"role": role.value})
            action = "member.role_changed" if former else "member.added"
            audit.record(cursor, scope, action, user=str(user.id), role=role.value)
    return Enrolment(user, known, former)


def _made(email: str, password: str | None) -> User:
    try:
        with transaction.atomic():
            return User.objects.create_user(email, password)
    except IntegrityError:
        raise Conflict(f"Somebody else is just adding {email}: try again.") from None


def person(email: str) -> User | None:
    """Whoever has the address, in whichever tenants."""
    return User.objects.filter(email=email.strip().lower()).first()


def check_password(password: str) -> None:
    """`RuleBroken` for a password that is too short or too common."""
    try:
        validate_password(password)
    except ValidationError as error:
        raise RuleBroken(" ".join(error.messages)) from None


def list_members(scope: Scope) -> list[Member]:
    """The members of the scope's tenant, by address; at most 1,000."""
    with tenant_rows(scope.tenant):
        rows = Membership.objects.filter(tenant_id=scope.tenant).select_related("user").order_by("user__email")[:MOST]
        return [
            Member(
                row.user.id, row.user.email, row.user.name, Role(row.role), row.user.is_active, row.created_at,
                row.user.last_login,
            )
            for row in rows
        ]  # fmt: skip
