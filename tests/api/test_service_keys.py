"""Who is asking: both headers, and every way in which a key does not hold."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from tenants import keys
from tenants.authentication import operator_scope
from tenants.models import ServiceKey, Tenant
from tenants.rls import tenant_rows
from tenants.services.keys import revoke_key
from tests.api.answers import problem
from tests.api.statements import watched
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def ask(**headers: str) -> object:
    return Client().get("/api/v1/status", headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_either_header_will_do(alice: Caller) -> None:
    for headers in (
        {"X_API_Key": alice.key},
        {"Authorization": f"Bearer {alice.key}"},
        {"Authorization": f"bearer  {alice.key} "},
        {"X_API_Key": f" {alice.key} "},
    ):
        assert ask(**headers).status_code == 200, headers  # type: ignore[attr-defined]


def test_x_api_key_wins(alice: Caller, charlie: Caller) -> None:
    (stored,) = alice.remember("Mine.")
    path, bearer = f"memories/{stored}", f"Bearer {charlie.key}"
    assert alice.get(path, Authorization=bearer).status_code == 200
    assert charlie.get(path, Authorization=f"Bearer {alice.key}").status_code == 404
    problem(ask(X_API_Key="nonsense", Authorization=f"Bearer {alice.key}"), 401, "invalid_key")


@pytest.mark.parametrize(
    "headers", [{}, {"X_API_Key": ""}, {"Authorization": ""}, {"Authorization": "Bearer"}, {"Authorization": "Basic x"}]
)
def test_a_missing_key_is_told_how_to_authenticate(db: None, headers: dict[str, str]) -> None:
    answer = ask(**headers)
    assert problem(answer, 401, "missing_key")["detail"] == "missing service key"
    assert answer["WWW-Authenticate"].startswith("Bearer")  # type: ignore[index]


@pytest.mark.parametrize(
    "given",
    [
        "nonsense",
        "msk_0123456789",
        "loci_sk_",
        "loci_sk_" + "a" * 38,
        "loci_sk_" + "é" * 38,
        "' OR 1=1 --",
        "a\0b",
        "x" * 10_000,
    ],
)
def test_what_is_no_key_of_ours_is_refused_before_the_database_is_asked(db: None, given: str) -> None:
    with watched() as statements:
        answer = ask(X_API_Key=given)
    assert problem(answer, 401, "invalid_key")["detail"] == "invalid service key"
    assert answer["WWW-Authenticate"].startswith("Bearer")  # type: ignore[index]
    assert statements == []


def test_a_typo_is_refused_before_the_database_is_asked(alice: Caller) -> None:
    for at in (8, 20, 39, 40, 45):
        other = "A" if alice.key[at] != "A" else "B"
        typo = alice.key[:at] + other + alice.key[at + 1 :]
        with watched() as statements:
            problem(ask(X_API_Key=typo), 401, "invalid_key")
        assert statements == []
    for typo in (alice.key + "\n", alice.key.lower(), alice.key[:-1], alice.key + "x"):
        if typo.strip() != alice.key:
            problem(ask(Authorization=f"Bearer {typo}"), 401, "invalid_key")


def test_a_well_formed_key_that_was_never_issued_is_invalid(db: None) -> None:
    assert problem(ask(X_API_Key=keys.make()), 401, "invalid_key")["detail"] == "invalid service key"


def test_a_revoked_key_is_invalid_at_once(alice: Caller, bob: Caller) -> None:
    from uuid import UUID

    assert bob.get("status").status_code == 200
    revoke_key(operator_scope(alice.tenant, "test"), UUID(bob.scope.actor.id))
    assert problem(bob.get("status"), 401, "invalid_key")["detail"].startswith("invalid service key: it was revoked on")
    assert alice.get("status").status_code == 200


def test_an_expired_key_says_so(alice: Caller) -> None:
    soon = alice.with_key(["read"], expires_at=datetime.now(UTC) + timedelta(hours=1))
    assert soon.get("status").status_code == 200
    with tenant_rows(alice.tenant):
        ServiceKey.objects.filter(expires_at__isnull=False).update(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    answer = soon.get("status")
    problem(answer, 401, "expired_key")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_key_of_a_closed_tenant_is_invalid(alice: Caller) -> None:
    with tenant_rows(alice.tenant):
        Tenant.objects.update(closed_at=datetime.now(UTC))
    problem(alice.get("status"), 401, "invalid_key")


@pytest.mark.parametrize(
    ("scopes", "method", "path", "lacking"),
    [
        (["read"], "POST", "memories", "write"),
        (["read"], "DELETE", "memories", "write"),
        (["read"], "POST", "invalidate", "write"),
        (["read"], "PATCH", "memories/00000000-0000-4000-8000-000000000000", "write"),
        (["write"], "POST", "recall", "read"),
        (["write"], "GET", "memories?source=s", "read"),
        (["write"], "GET", "status", "read"),
        (["write"], "GET", "jobs", "read"),
        (["erase"], "DELETE", "memories", "write"),
        (["gateway"], "POST", "recall", "read"),
    ],
)
def test_a_lacking_scope_is_named_before_the_body_is_looked_at(
    alice: Caller, scopes: list[str], method: str, path: str, lacking: str
) -> None:
    answer = problem(alice.with_key(scopes).call(method, path, b"{nonsense"), 403, "insufficient_scope")
    assert answer["detail"] == f"key lacks '{lacking}' scope"
    assert answer["required_scope"] == lacking


def test_admin_reads_and_writes(alice: Caller) -> None:
    admin = alice.with_key(["admin"])
    assert admin.remember("One.")
    assert admin.found("one") == ["One."]


def test_the_last_use_is_noted_once_a_minute(alice: Caller) -> None:
    with tenant_rows(alice.tenant):
        assert ServiceKey.objects.get().last_used_at is None
    alice.get("status")
    with tenant_rows(alice.tenant):
        first = ServiceKey.objects.get().last_used_at
    alice.get("status")
    with tenant_rows(alice.tenant):
        assert ServiceKey.objects.get().last_used_at == first is not None


def test_a_key_is_stored_nowhere_and_shown_in_no_answer(alice: Caller) -> None:
    alice.remember("One.")
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute("SELECT count(*) FROM tenants_servicekey AS k WHERE k::text LIKE %s", [f"%{alice.key[8:30]}%"])
        assert cursor.fetchone()[0] == 0
    for answer in (alice.get("status"), alice.post("recall", {"query": 7}), alice.get("nothing")):
        assert alice.key not in answer.content.decode()
