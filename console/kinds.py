"""The kinds of memory, as people read them."""

from django.utils.translation import gettext_lazy as _

from memory.api.schema import KINDS

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


def kind_name(kind: str) -> str:
    """A kind as people read it; one that is new here by its own name."""
    return str(NAMES[kind]) if kind in NAMES else kind.replace("_", " ").capitalize()


def kind_choices() -> list[tuple[str, str]]:
    """All kinds, for a form."""
    return [(kind, kind_name(kind)) for kind in KINDS]
