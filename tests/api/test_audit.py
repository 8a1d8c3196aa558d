"""Every change leaves exactly one event, which holds ids and counts and never what was said."""

from uuid import UUID

import pytest
from django.core.management import call_command

from tenants.authentication import operator_scope
from tenants.models import AuditEvent
from tenants.rls import tenant_rows
from tenants.services.keys import revoke_key
from tests.api.answers import audited
from tests.cast import Caller

SECRET = "Xylophone"


def actions(caller: Caller) -> list[str]:
    return [action for action, _ in audited(caller.tenant)]


def test_each_change_is_one_event_in_order(alice: Caller) -> None:
    (one, two) = alice.remember(f"{SECRET} one.", f"{SECRET} two.", source=SECRET, tags=[SECRET], subject=SECRET)
    alice.remember(f"{SECRET} one.", source=SECRET, metadata={SECRET: SECRET})
    alice.call("PATCH", f"memories/{one}", {"text": f"{SECRET} three."})
    alice.post("invalidate", {"source": SECRET})
    alice.call("DELETE", "memories", {"ids": [one, two]})
    call_command("set_quota", "acme", "memories=5")
    key = alice.with_key(["read"])
    revoke_key(operator_scope(alice.tenant, "test"), UUID(key.scope.actor.id))
    assert actions(alice) == [
        "tenant.created",
        "key.issued",
        "memory.written",
        "memory.written",
        "memory.corrected",
        "memory.invalidated",
        "memory.erased",
        "quota.set",
        "key.issued",
        "key.revoked",
    ]
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute("SELECT count(*) FROM tenants_auditevent AS e WHERE e::text ILIKE %s", [f"%{SECRET}%"])
        assert cursor.fetchone()[0] == 0
        cursor.execute("SELECT count(*) FROM tenants_auditevent AS e WHERE e::text LIKE %s", [f"%{alice.key[8:]}%"])
        assert cursor.fetchone()[0] == 0


def test_what_changes_nothing_leaves_no_event(alice: Caller, bob: Caller) -> None:
    (stored,) = alice.remember("One.")
    before, key = actions(alice), UUID(bob.scope.actor.id)
    alice.remember("One.")
    alice.recall("one")
    alice.get(f"memories/{stored}")
    alice.post("memories", {"items": [{"text": " "}]})
    alice.post("memories", {"items": [{"text": 7}]})
    bob.call("DELETE", "memories", {"ids": [stored]})
    alice.call("DELETE", "memories", {"source": "nothing"})
    alice.call("PATCH", f"memories/{stored}", {"text": "Two."}, If_Match=f'"{stored}"')
    revoke_key(operator_scope(alice.tenant, "test"), key)
    revoke_key(operator_scope(alice.tenant, "test"), key)
    assert actions(alice) == [*before, "key.revoked"]


def test_an_event_names_who_and_which_request(alice: Caller) -> None:
    trace = "0123456789abcdef0123456789abcdef"
    alice.post(
        "memories",
        {"items": [{"text": "One."}]},
        X_Request_ID="request-7",
        traceparent=f"00-{trace}-0123456789abcdef-01",
    )
    with tenant_rows(alice.tenant):
        event = AuditEvent.objects.get(action="memory.written")
    assert (event.actor, event.request_id, event.trace_id) == (str(alice.scope.actor), "request-7", trace)
    assert event.address == "127.0.0.1"


@pytest.mark.parametrize("statement", ["UPDATE tenants_auditevent SET actor = 'x'", "DELETE FROM tenants_auditevent"])
def test_the_application_cannot_alter_the_trail(alice: Caller, statement: str) -> None:
    from django.db import ProgrammingError

    with pytest.raises(ProgrammingError, match="permission denied"), tenant_rows(alice.tenant) as cursor:
        cursor.execute(statement)
