"""The pages for whoever runs the place: `/healthz`, `/readyz`, `/metrics`; and the seed's `/health`."""

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from tests.api.statements import broken, watched
from tests.cast import Caller


def test_healthz_asks_nobody(db: None) -> None:
    with watched() as statements:
        response = Client().get("/healthz")
    assert (response.status_code, response.json(), statements) == (200, {"status": "ok"}, [])


def test_readyz_is_ready_when_the_schema_is_this_releases(db: None) -> None:
    response = Client().get("/readyz")
    assert (response.status_code, response.json()["status"]) == (200, "ready")


@pytest.mark.parametrize("error", [OperationalError("away"), InterfaceError("connection already closed")])
def test_readyz_is_503_while_the_database_is_away(db: None, error: Exception) -> None:
    with broken(error):
        response = Client().get("/readyz")
        health = Client().get("/api/v1/health")
    assert response.status_code == 503
    assert (response.json()["status"], response.json()["database"]) == ("not_ready", False)
    assert (health.status_code, health.json()["status"], health.json()["qdrant"]) == (200, "degraded", False)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Bearer wrong", "test-metrics-token ", "Bearer \xff"])
def test_metrics_are_for_who_holds_the_token(db: None, header: str) -> None:
    response = Client().get("/metrics", headers={"Authorization": header})
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert "loci_" not in response.content.decode()


def test_without_a_token_in_the_settings_there_are_no_metrics(db: None, settings: object) -> None:
    settings.METRICS_TOKEN = ""  # type: ignore[attr-defined]
    for header in ("", "Bearer "):
        assert Client().get("/metrics", headers={"Authorization": header}).status_code == 401


def test_metrics_name_no_tenant_no_key_and_no_memory(alice: Caller, settings: object) -> None:
    (stored,) = alice.remember("The parrot sings.", source="parrots")
    alice.recall("parrot")
    alice.get(f"memories/{stored}")
    alice.call("SMUGGLED", "memories")
    token = settings.METRICS_TOKEN  # type: ignore[attr-defined]
    shown = Client().get("/metrics", headers={"Authorization": f"Bearer {token}"}).content.decode()
    assert "loci_http_request_seconds" in shown and "loci_recall_seconds" in shown
    actor = alice.scope.actor.id
    for secret in ("acme", str(alice.tenant), alice.key, alice.key[-6:], actor, stored, "parrot", "SMUGGLED", token):
        assert secret not in shown


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_operator_pages_are_only_read(db: None, path: str) -> None:
    assert Client().post(path).status_code == 405


def test_the_seeds_health_needs_no_key_and_names_no_tenant(alice: Caller) -> None:
    answer = Client().get("/api/v1/health").json()
    assert set(answer) == {"status", "version", "provider", "collection", "qdrant", "memgraph"}
    assert answer["status"] == "ok"


def test_status_says_nothing_about_others_to_a_narrowed_key(alice: Caller) -> None:
    alice.remember("One.")
    assert alice.get("status").json()["tenant"]["memories"] == 1
    for narrowing in ({"namespaces": ["attic"]}, {"filters": {"team": "x"}}, {"agent": "ada"}):
        told = alice.with_key(**narrowing).get("status").json()["tenant"]
        assert set(told.values()) == {None}
