"""How a new key's secret reaches its person exactly once.

The answer to the form that creates a key shows it. It goes into no address, session, message or log, and no cache keeps
the page. The form carries a ticket: the id that the key will have, made and signed here for this person in this tenant.
Whoever sends the form again (a reload, a second click) sends the same ticket; that key is there already, so no other is
made, and its secret is nowhere to be shown from. See docs/decisions/0012.
"""

from uuid import UUID

from django.core import signing

from loci.ground.ids import uuid7
from tenants.scope import Scope

SALT = "console.handover"
GOOD_FOR = 12 * 3600
"""Seconds that a form may lie open."""


def ticket_for(scope: Scope) -> str:
    """A new ticket."""
    return signing.dumps([str(scope.tenant), str(scope.actor), str(uuid7())], salt=SALT)


def key_of(scope: Scope, ticket: str) -> UUID | None:
    """The id in a ticket of this person in this tenant; None when it is not theirs or too old."""
    try:
        tenant, actor, key = signing.loads(ticket, salt=SALT, max_age=GOOD_FOR)
    except signing.BadSignature:
        return None
    return UUID(key) if (tenant, actor) == (str(scope.tenant), str(scope.actor)) else None
