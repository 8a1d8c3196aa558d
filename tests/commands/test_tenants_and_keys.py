"""create_tenant, create_key, list_keys, revoke_key, set_quota."""

import json
from uuid import uuid4

import pytest

from tenants.keys import PATTERN
from tests.api.answers import audited
from tests.cast import Caller
from tests.commands.conftest import Run


def test_a_tenant_and_a_key_that_works(run: Run) -> None:
    made = json.loads(
        run("create_tenant", "initech", "--name", "Initech Ltd.", "--time-zone", "Europe/Berlin", "--json")
    )
    assert made["tenant"] == "initech"
    key = json.loads(run("create_key", "initech", "--scopes", "read,write", "--json"))
    assert set(key) == {"tenant", "id", "service_key"}
    caller = Caller(made["id"], key["service_key"])
    assert caller.remember("One.")
    assert caller.scope.time_zone == "Europe/Berlin"


def test_without_json_the_key_stands_alone_on_the_first_line(run: Run, alice: Caller) -> None:
    first, second = run("create_key", "acme", "--scopes", "read").splitlines()
    assert PATTERN.fullmatch(first)
    assert "not shown again" in second


def test_a_narrowed_key_is_what_the_options_say(run: Run, alice: Caller) -> None:
    options = ["--namespaces", "attic, cellar", "--agent", "ada", "--expires", "2999-01-01", "--name", "Ada's"]
    filters = ["--filter", "team=x", "--filter", "level=3", "--filter", "live=true", "--filter", "odd=NaN"]
    made = json.loads(run("create_key", "acme", "--scopes", "read", *options, *filters, "--json"))
    scope = Caller(alice.tenant, made["service_key"]).scope
    assert scope.namespaces == {"attic", "cellar"}
    assert dict(scope.filters) == {"team": "x", "level": 3, "live": True, "odd": "NaN"}
    assert scope.agent == "ada"
    listed = json.loads(run("list_keys", "acme", "--json"))
    assert (listed[-1]["name"], listed[-1]["expires_at"]) == ("Ada's", "2999-01-01T00:00:00Z")


def test_keys_are_listed_without_their_secrets(run: Run, alice: Caller, bob: Caller) -> None:
    shown = run("list_keys", "acme", "--json")
    listed = json.loads(shown)
    assert [key["scopes"] for key in listed] == [["read", "write"], ["read"]]
    assert alice.key not in shown and alice.key[8:40] not in shown
    assert listed[0]["tail"] == alice.key[-4:]
    plain = run("list_keys", "acme")
    assert len(plain.splitlines()) == 2 and alice.key[8:40] not in plain


def test_a_revoked_key_is_listed_as_such(run: Run, alice: Caller, bob: Caller) -> None:
    key = bob.scope.actor.id
    assert run("revoke_key", key).strip() == f"Revoked {key}."
    assert run("revoke_key", key)
    assert bob.get("status").status_code == 401
    assert "revoked" in run("list_keys", "acme").splitlines()[1]
    assert [action for action, _ in audited(alice.tenant)].count("key.revoked") == 1


@pytest.mark.parametrize(
    "args",
    [
        ("create_tenant", "Not A Slug"),
        ("create_tenant", ""),
        ("create_tenant", "-a"),
        ("create_tenant", "a" * 64),
        ("create_tenant", "acme"),
        ("create_tenant", "b", "--time-zone", "Mars/Olympus"),
        ("create_tenant", "b", "--name", "n" * 201),
        ("create_tenant", "b", "--name", "\ud800"),
        ("create_key", "nobody", "--scopes", "read"),
        ("create_key", "acme", "--scopes", "fly"),
        ("create_key", "acme", "--scopes", ""),
        ("create_key", "acme"),
        ("create_key", "acme", "--scopes", "read", "--namespaces", ""),
        ("create_key", "acme", "--scopes", "read", "--namespaces", "n" * 129),
        ("create_key", "acme", "--scopes", "read", "--expires", "tomorrow"),
        ("create_key", "acme", "--scopes", "read", "--expires", "2020-01-01"),
        ("create_key", "acme", "--scopes", "read", "--expires", "2999-01-01T00:00:00"),
        ("create_key", "acme", "--scopes", "read", "--filter", "team"),
        ("create_key", "acme", "--scopes", "read", "--filter", "=x"),
        ("create_key", "acme", "--scopes", "read", "--filter", "_team=x"),
        ("create_key", "acme", "--scopes", "read", "--filter", "a=1e999"),
        ("create_key", "acme", "--scopes", "read", "--filter", "a=" + "9" * 400),
        ("create_key", "acme", "--scopes", "read", "--filter", "k" * 300 + "=x"),
        ("create_key", "acme", "--scopes", "read", "--filter", "a=" + "[" * 19_000),
        ("create_key", "acme", "--scopes", "read", "--filter", "a=" + '{"a":' * 19_000),
        ("create_key", "acme", "--scopes", "read", "--filter", "a=\ud800"),
        ("create_key", "acme", "--scopes", "read", "--filter", "\ud800=a"),
        ("create_key", "acme", "--scopes", "read", "--name", "\ud800"),
        ("create_key", "acme", "--scopes", "read", "--namespaces", "\ud800"),
        ("create_key", "acme", "--scopes", "read", "--agent", "\ud800"),
        ("create_key", "acme", "--scopes", "read", "--agent", ""),
        ("create_key", "acme", "--scopes", "read", "--agent", "a" * 129),
        ("create_key", "acme", "--scopes", "read", "--name", "n" * 201),
        ("list_keys", "nobody"),
        ("revoke_key", "nonsense"),
        ("revoke_key", str(uuid4())),
        ("set_quota", "nobody", "memories=1"),
        ("set_quota", "acme"),
        ("set_quota", "acme", "memories"),
        ("set_quota", "acme", "memories=many"),
        ("set_quota", "acme", "memories=nan"),
        ("set_quota", "acme", "memories=inf"),
        ("set_quota", "acme", "memories=0.5"),
        ("set_quota", "acme", "rps=1e-9"),
        ("set_quota", "acme", "rps=1e12"),
        ("set_quota", "acme", "dreams=1"),
        ("reindex", "--tenant", "nobody"),
        ("ingest", "/nonexistent", "--tenant", "acme"),
        ("ingest", "/tmp", "--tenant", "nobody"),
    ],
)
def test_an_error_is_one_line_and_changes_nothing(alice: Caller, fails: Run, args: tuple[str, ...]) -> None:
    before = audited(alice.tenant)
    fails(*args)
    assert audited(alice.tenant) == before
    assert alice.get("status").status_code == 200


def test_a_quota_is_told_back(run: Run, alice: Caller) -> None:
    assert run("set_quota", "acme", "memories=10000", "rps=2.5").strip() == "acme: memories=10000, rps=2.5"
    assert alice.get("status").json()["tenant"]["memories_limit"] == 10000
    assert run("set_quota", "acme", "memories=-1")
    assert alice.get("status").json()["tenant"]["memories_limit"] is None
