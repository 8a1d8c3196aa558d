"""`Scope`: who is asking and what they may see. Pure Python; every retriever, store and service takes one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any
from uuid import UUID

ALL = "*"
"""In `namespaces` or as `agent`: no narrowing. An empty set of namespaces means nothing at all."""
DEFAULT = "default"
"""The namespace of what names none."""


class Right(StrEnum):
    """What a credential may do. `write` also deletes by id or source; `erase` goes by subject, filter or namespace."""

    READ = "read"
    WRITE = "write"
    ERASE = "erase"
    ADMIN = "admin"
    GATEWAY = "gateway"


class Role(StrEnum):
    """A member's role in one tenant."""

    OWNER = "owner"
    ADMIN = "admin"
    DEVELOPER = "developer"
    VIEWER = "viewer"


ROLE_RIGHTS: Mapping[Role, frozenset[Right]] = MappingProxyType(
    {
        Role.OWNER: frozenset({Right.READ, Right.WRITE, Right.ERASE, Right.ADMIN}),
        Role.ADMIN: frozenset({Right.READ, Right.WRITE, Right.ERASE, Right.ADMIN}),
        Role.DEVELOPER: frozenset({Right.READ, Right.WRITE}),
        Role.VIEWER: frozenset({Right.READ}),
    }
)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, for audit and `written_by`: `kind` is key, member, operator or job; `id` names them within the kind."""

    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


def home_of(namespaces: Sequence[str]) -> str:
    """Where a write goes that names no namespace: to `default` within reach, else to the first that was given."""
    return DEFAULT if not namespaces or ALL in namespaces or DEFAULT in namespaces else namespaces[0]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a credential resolves to. Immutable; made only by `tenants.authentication` and `tenants.services`.

    `namespaces`: the namespaces it may touch; `{"*"}` is all, the empty set is none.
    `filters`: exact matches forced into every read and stamped on every write (metadata key → value).
    `agent`: the only agent it may act as; `*` is any.
    `home`: the namespace to which a write goes that names none.
    """

    tenant: UUID
    rights: frozenset[Right]
    actor: Actor
    namespaces: frozenset[str] = frozenset({ALL})
    filters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    agent: str = ALL
    time_zone: str = "UTC"
    home: str = DEFAULT

    def may(self, right: Right) -> bool:
        """Whether it holds `right`; `admin` includes reading and writing."""
        if right in self.rights:
            return True
        return Right.ADMIN in self.rights and right in (Right.READ, Right.WRITE)

    @property
    def every_namespace(self) -> bool:
        """Whether no namespace is out of reach."""
        return ALL in self.namespaces

    @property
    def whole(self) -> bool:
        """Whether nothing narrows it within its tenant; only then may it know what the tenant has as a whole."""
        return self.every_namespace and not self.filters and self.agent == ALL

    def reaches(self, namespace: str) -> bool:
        """Whether `namespace` lies within the scope."""
        return self.every_namespace or namespace in self.namespaces
