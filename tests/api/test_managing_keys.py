"""Issuing, listing and revoking keys: never wider than whoever does it, once per id, in pages."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from loci.ground.errors import Conflict, Forbidden, NotFound, RuleBroken
from loci.ground.ids import uuid7
from tenants.authentication import operator_scope, scope_of_key
from tenants.models import ServiceKey
from tenants.rls import tenant_rows
from tenants.scope import Scope
from tenants.services.keys import get_key, issue_key, list_keys, page_of_keys, revoke_key
from tests.api.answers import audited
from tests.cast import Caller

NARROW: dict[str, Any] = {"namespaces": ["red", "blue"], "filters": {"ward": 7}, "agent": "ada"}


@pytest.fixture
def chief(alice: Caller) -> Scope:
    """Manages keys in acme, itself narrowed."""
    return alice.with_key(["admin"], **NARROW).scope


@pytest.mark.parametrize("act", [
    list_keys,
    page_of_keys,
    lambda scope: get_key(scope, uuid4()),
    lambda scope: revoke_key(scope, uuid4()),
    lambda scope: issue_key(scope, scopes=["read"]),
])  # fmt: skip
@pytest.mark.parametrize("scopes", [["read"], ["read", "write"], ["erase"], ["gateway"]])
def test_only_admin_manages_keys(alice: Caller, act: Callable[[Scope], object], scopes: list[str]) -> None:
    with pytest.raises(Forbidden, match="admin"):
        act(alice.with_key(scopes).scope)


@pytest.mark.parametrize(
    "wider",
    [
        {"scopes": ["read", "erase"]},
        {"scopes": ["gateway"]},
        {"namespaces": ["*"]},
        {"namespaces": ["red", "green"]},
        {"filters": {}},
        {"filters": {"ward": 8}},
        {"filters": {"ward": True}},
        {"filters": {"ward": "7"}},
        {"agent": "*"},
        {"agent": "bob"},
    ],
)
def test_a_key_is_never_wider_than_its_issuer(chief: Scope, wider: dict[str, Any]) -> None:
    with pytest.raises(Forbidden) as refused:
        issue_key(chief, **{"scopes": ["read"], **NARROW, **wider})
    assert refused.value.code == "wider_than_issuer"
    assert len(page_of_keys(chief).keys) == 1, "the issuer's own"


def test_a_key_may_be_as_wide_as_its_issuer_or_narrower(chief: Scope) -> None:
    issue_key(chief, scopes=["read", "write", "admin"], **NARROW)
    issue_key(chief, scopes=["read"], namespaces=["red"], filters={"ward": 7.0, "bed": 2}, agent="ada")
    assert len(list_keys(chief)) == 3


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"filters": {f"k{n}": n for n in range(17)}}, "at most 16"),
        ({"filters": {"k": "v" * 1025}}, "1024 characters"),
        ({"filters": {"k": "a\x00"}}, "NUL"),
        ({"name": "a\x00b"}, "NUL"),
        ({"namespaces": ["a\x00"]}, "NUL"),
        ({"name": "n" * 201}, "at most 200"),
    ],
)
def test_what_no_key_can_be_is_refused(alice: Caller, odd: dict[str, Any], said: str) -> None:
    with pytest.raises(RuleBroken, match=said):
        issue_key(operator_scope(alice.tenant, "test"), scopes=["read"], **odd)


def test_a_narrowed_manager_sees_and_revokes_only_keys_within_its_reach(alice: Caller, chief: Scope) -> None:
    within = alice.with_key(["read"], **{**NARROW, "namespaces": ["blue"]})
    for further in ({}, {"namespaces": ["blue"]}, {**NARROW, "namespaces": ["*"]}, {**NARROW, "agent": "bob"}):
        key = UUID(alice.with_key(["read"], **further).scope.actor.id)
        for act in (get_key, revoke_key):
            with pytest.raises(NotFound):
                act(chief, key)
    seen = {str(key.id) for key in page_of_keys(chief).keys}
    assert seen == {str(key.id) for key in list_keys(chief)} == {chief.actor.id, within.scope.actor.id}
    revoke_key(chief, UUID(within.scope.actor.id))


def test_another_tenants_key_is_not_there(alice: Caller, charlie: Caller) -> None:
    key, scope = UUID(charlie.scope.actor.id), operator_scope(alice.tenant, "test")
    for act in (get_key, revoke_key):
        with pytest.raises(NotFound):
            act(scope, key)
    assert charlie.get("status").status_code == 200
    assert key not in [one.id for one in page_of_keys(scope).keys]


def test_an_id_is_issued_once(alice: Caller) -> None:
    scope, key = operator_scope(alice.tenant, "test"), uuid7()
    first = issue_key(scope, scopes=["read"], key_id=key)
    with pytest.raises(Conflict):
        issue_key(scope, scopes=["read", "write"], key_id=key)
    assert scope_of_key(first.secret).rights == {"read"}
    assert [detail["key"] for action, detail in audited(alice.tenant) if action == "key.issued"].count(str(key)) == 1


def test_pages_have_the_keys_that_hold_first_and_none_twice(alice: Caller) -> None:
    scope = operator_scope(alice.tenant, "test")
    issued = [issue_key(scope, scopes=["read"], name=str(n)).id for n in range(8)]
    for key in issued[:2]:
        revoke_key(scope, key)
    with tenant_rows(alice.tenant):
        ServiceKey.objects.filter(id=issued[4]).update(expires_at=timezone.now() - timedelta(seconds=1))
    found, after = [], None
    while not found or after:
        page = page_of_keys(scope, after=after, limit=2)
        found += [key.id for key in page.keys]
        after = page.next_after
    holding = [*issued[:1:-1]]
    holding.remove(issued[4])
    assert found == [*holding, UUID(alice.scope.actor.id), issued[4], issued[1], issued[0]]


def test_issuing_and_revoking_are_audited_without_the_secret(alice: Caller) -> None:
    scope = operator_scope(alice.tenant, "test")
    issued = issue_key(scope, scopes=["read"], name="nightly")
    revoke_key(scope, issued.id)
    revoke_key(scope, issued.id)
    events = [(action, detail) for action, detail in audited(alice.tenant) if detail.get("key") == str(issued.id)]
    assert [action for action, _ in events] == ["key.issued", "key.revoked"]
    assert issued.secret[8:] not in str(events)
