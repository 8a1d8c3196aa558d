"""The kinds of memory and the roles of members, as people read them."""

from django.utils.translation import gettext_lazy as _

from memory.shapes.requests import KINDS
from tenants.scope import Right, Role

NAMES = {
    "fact": _("Fact"),
    "preference": _("Preference"),
    "event": _("Event"),
    "relationship": _("Relationship"),
    "procedure": _("Procedure"),
    "open_question": _("Open question"),
    "quote": _("Quote"),
    "code_decision": _("Code decision"),
    "bug": _("Bug"),
    "api_contract": _("API contract"),
    "requirement": _("Requirement"),
    "todo": _("To do"),
}

ROLES = {
    Role.OWNER: _("owner"),
    Role.ADMIN: _("admin"),
    Role.DEVELOPER: _("developer"),
    Role.VIEWER: _("viewer"),
}


RIGHTS = {
    Right.READ: _("read"),
    Right.WRITE: _("write"),
    Right.ERASE: _("erase"),
    Right.ADMIN: _("admin"),
    Right.GATEWAY: _("gateway"),
}


def right_name(right: str) -> str:
    """A scope as people read it; one that is new here by its own name."""
    return str(RIGHTS[Right(right)]) if right in list(Right) else right


def role_name(role: str) -> str:
    """A role as people read it; one that is new here by its own name."""
    return str(ROLES[Role(role)]) if role in list(Role) else role


def kind_name(kind: str) -> str:
    """A kind as people read it; one that is new here by its own name."""
    return str(NAMES[kind]) if kind in NAMES else kind.replace("_", " ").capitalize()


def kind_choices() -> list[tuple[str, str]]:
    """All kinds, for a form."""
    return [(kind, kind_name(kind)) for kind in KINDS]
