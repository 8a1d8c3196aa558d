"""Every address, method and command stands in docs/permissions.md, and what stands there is so."""

import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import get_commands
from django.test import Client

from tenants.authentication import operator_scope
from tenants.models import Tenant
from tenants.rls import tenant_rows
from tenants.scope import ROLE_RIGHTS, Right, Role
from tenants.services.keys import issue_key
from tenants.services.tenants import add_member
from tests.cast import Caller
from tests.isolation.addresses import METHODS, Door, documented_commands, doors, permissions
from tests.isolation.door import Answer, send

ROOMS = ("loci", "tenants", "billing", "memory", "console")
PASSWORD = "a quiet harbour"
CSRF_TOKEN = re.compile(rb"[0-9A-Za-z]{64}")
DOORS = doors()
SCOPED = [(door, method) for door in DOORS for method in door.rights or ()]
CONSOLE = [
    (door, method) for door in DOORS for method in sorted(door.methods) if door.view.__module__.startswith("console.")
]
KNOWN: dict[str, str] = {}
"""Faults that are reported and not yet mended."""


def _name(value: object) -> str:
    return value.address if isinstance(value, Door) else str(value)


def _path(door: Door, **values: object) -> str:
    unknown = {name: uuid4() for name in ("memory", "memory_id", "job", "job_id", "key", "run_id", "question")}
    fixed = {"slug": "acme", "client": "curl", "tool": "memory_search", "name": "a.whl"}
    return door.path(**{**fixed, **unknown, **values})


def test_every_address_and_method_is_documented_and_no_other() -> None:
    assert set(permissions()) == {(door.address, method) for door in DOORS for method in door.methods}


def test_every_command_is_documented_and_no_other() -> None:
    assert documented_commands() == {name for name, app in get_commands().items() if app in ROOMS}


def test_rights_stand_on_the_page_as_in_the_code() -> None:
    said = {(door.address, method): permissions()[door.address, method].right for door, method in SCOPED}
    assert said == {(door.address, method): (door.rights or {})[method] for door, method in SCOPED}


def test_an_address_without_a_right_is_said_to_be_open_to_anyone() -> None:
    scoped = {door.address for door, _ in SCOPED} | {door.address for door, _ in CONSOLE} | {"/metrics"}
    assert {row.right for (address, _), row in permissions().items() if address not in scoped} == {"anyone"}


def test_every_row_says_what_another_tenants_id_gets() -> None:
    taking_ids = {key: row.foreign for key, row in permissions().items() if "<" in key[0]}
    assert all(said.startswith("404, as an unknown one") for said in taking_ids.values()), taking_ids


@pytest.mark.parametrize("scope", [right.value for right in Right])
@pytest.mark.parametrize(("door", "method"), SCOPED, ids=_name)
def test_a_rest_door_opens_to_its_right_alone(alice: Caller, door: Door, method: str, scope: str) -> None:
    right = (door.rights or {})[method]
    key = issue_key(operator_scope(alice.tenant, "test"), scopes=[scope]).secret
    opens = scope == right or (scope == "admin" and right in ("read", "write"))
    for asked in (method, "HEAD") if method == "GET" else (method,):
        answer = send(key, asked, _path(door), {})
        assert (answer.status not in (401, 403)) is opens, answer
        if asked != "HEAD" and not opens:
            assert answer.json["detail"] == f"key lacks '{right}' scope"
            assert (answer.status, answer.json["required_scope"]) == (403, right)


@pytest.mark.parametrize(("door", "method"), SCOPED, ids=_name)
def test_a_rest_door_is_shut_without_a_key(db: None, door: Door, method: str) -> None:
    for asked in (method, "OPTIONS", "PUT"):
        answer = send(None, asked, _path(door), {})
        assert (answer.status, answer.code) == (401, "missing_key")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("door", [door for door in DOORS if "any" not in door.methods], ids=_name)
def test_a_method_that_is_not_documented_is_not_allowed(alice: Caller, door: Door) -> None:
    key = issue_key(operator_scope(alice.tenant, "test"), scopes=["admin"]).secret
    for method in {*METHODS, "TRACE", "BREW"} - door.methods:
        assert send(key, method, _path(door), {}).status == 405, method


@pytest.mark.parametrize("door", [door for door in DOORS if "any" in door.methods], ids=_name)
def test_what_is_not_there_is_not_there_by_any_method(alice: Caller, door: Door) -> None:
    assert {send(alice.key, method, _path(door)).status for method in METHODS} == {404}


def test_metrics_are_for_whoever_has_the_token(db: None) -> None:
    assert send(None, "GET", "/metrics").status == 401
    assert send(None, "GET", "/metrics", Authorization="Bearer test-metrics-token").status == 200


@pytest.fixture
def staff(alice: Caller, charlie: Caller, settings: Any) -> dict[str, Client]:
    """Somebody signed in for each role in acme, a stranger from globex, and nobody."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    people = {"anonymous": Client()}
    for tenant, roles in ((alice.tenant, list(Role)), (charlie.tenant, [Role.OWNER])):
        for role in roles:
            name = role.value if tenant == alice.tenant else "stranger"
            user = add_member(tenant, f"{name}@x.example", role, password=PASSWORD)
            people[name] = Client()
            people[name].force_login(user)
    return people


def _status(client: Client, door: Door, method: str, **values: object) -> int:
    status: int = client.generic(method, _path(door, **values)).status_code
    return status


def _known(door: Door, method: str) -> Any:
    marks = pytest.mark.xfail(strict=True, reason=KNOWN[door.address]) if door.address in KNOWN else ()
    return pytest.param(door, method, marks=marks)


@pytest.mark.parametrize(("door", "method"), [_known(*each) for each in CONSOLE], ids=_name)
def test_a_console_door_opens_to_the_documented_roles(
    alice: Caller, staff: dict[str, Client], door: Door, method: str
) -> None:
    (memory,) = alice.remember("Looked at by members.")
    right = permissions()[door.address, method].right
    anonymous = staff["anonymous"].generic(method, _path(door, memory=memory))
    assert (anonymous.status_code == 302 and "/sign-in?next" in anonymous.headers["Location"]) is (right != "anyone")
    if "<slug" not in door.address:
        return
    for role in Role:
        may = right in ROLE_RIGHTS[role]
        assert (_status(staff[role.value], door, method, memory=memory) == 403) is not may, role
    assert _status(staff["stranger"], door, method, memory=memory) == 404


@pytest.mark.parametrize(("door", "method"), [each for each in CONSOLE if "<slug" in each[0].address], ids=_name)
def test_a_foreign_tenant_and_memory_look_unknown_in_the_console(
    alice: Caller, charlie: Caller, staff: dict[str, Client], door: Door, method: str
) -> None:
    own, foreign = _ids(alice), _ids(charlie)
    assert not set(own.values()) & set(foreign.values())
    unknown_tenant = _page(staff["stranger"], door, method, slug="nobodys", **own)
    assert _page(staff["stranger"], door, method, slug="acme", **own) == unknown_tenant
    assert unknown_tenant.status == 404
    if "<uuid" in door.address:
        unknown = _page(staff["owner"], door, method, **dict.fromkeys(foreign, UUID(int=7)))
        assert _page(staff["owner"], door, method, **foreign) == unknown
        assert unknown.status == 404


def _ids(caller: Caller) -> dict[str, object]:
    """Something of each kind that a tenant has."""
    (memory,) = caller.remember("Both know this.")
    job = caller.post("memories", {"items": [{"text": f"Item {n}."} for n in range(65)]}).json()["job"]
    asked = caller.post("golden-questions", {"questions": [{"question": "What?", "expect": [memory]}]}).json()
    question = asked["results"][0]["id"]
    return {"memory": memory, "job": job, "key": caller.scope.actor.id, "question": question}


def _page(client: Client, door: Door, method: str, **values: object) -> Answer:
    """A page without what the request itself brought: the path, and what Django salts anew for each."""
    path = _path(door, **values)
    response = client.generic(method, path, headers={"X-Request-ID": "probe"})
    body = response.content
    for said in (path, *map(str, values.values())):
        body = body.replace(said.encode(), b"")
    return Answer(response.status_code, CSRF_TOKEN.sub(b"", body))


def test_a_closed_tenant_has_no_doors(alice: Caller) -> None:
    with tenant_rows(alice.tenant):
        Tenant.objects.filter(id=alice.tenant).update(closed_at="2020-01-01T00:00:00Z")
    answer = send(alice.key, "GET", "status")
    assert (answer.status, answer.code) == (401, "invalid_key")
