"""Who uses the console in these tests: mira owns acme, vito only looks at it, gina belongs to globex."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.test import Client

from memory.engine.items import Item
from memory.services.lookup import list_versions
from memory.services.remember import remember
from tenants.authentication import scope_of_member
from tenants.models import User
from tenants.scope import Role, Scope
from tenants.services.tenants import add_member, create_tenant

PASSWORD = "correct horse battery staple"
FACTS = (
    "Dana wants discharge summaries by secure message, not by fax.",
    "The backup server is at 10.0.0.12 and runs Debian.",
    "ERR_CONN_42 means that the proxy refused the connection.",
)


@dataclass(frozen=True)
class Member:
    """A person signed in to the console."""

    user: User
    slug: str

    @property
    def scope(self) -> Scope:
        """Their scope in their tenant."""
        return scope_of_member(self.user.id, self.slug)

    @property
    def client(self) -> Client:
        """A browser without scripts in which they are signed in."""
        client = Client()
        client.force_login(self.user)
        return client

    def at(self, path: str = "") -> str:
        """An address below their tenant's."""
        return f"/t/{self.slug}/{path}"

    def get(self, path: str, **headers: str) -> Any:
        """The response to a GET below their tenant's address."""
        return self.client.get(
            self.at(path), headers={name.replace("_", "-"): value for name, value in headers.items()}
        )

    def post(self, path: str, **form: Any) -> Any:
        """The response to a form sent below their tenant's address."""
        return self.client.post(self.at(path), form)

    def stores(self, *texts: str, **fields: Any) -> list[UUID]:
        """Ids of memories stored with the same further fields."""
        outcomes = remember(self.scope, items=[Item(at, text, **fields) for at, text in enumerate(texts)])
        return [outcome.id for outcome in outcomes if outcome.id]

    def versions(self, memory: UUID) -> list[Any]:
        """The versions of a memory, newest first."""
        return list_versions(self.scope, memory)


def hire(tenant: UUID, slug: str, email: str, role: Role) -> Member:
    """A new member."""
    return Member(add_member(tenant, email, role, password=PASSWORD), slug)


def found(slug: str, **people: Role) -> dict[str, Member]:
    """A new tenant with members, by their first names."""
    tenant = create_tenant(slug, name=slug.capitalize())
    return {name: hire(tenant, slug, f"{name}@{slug}.example", role) for name, role in people.items()}
