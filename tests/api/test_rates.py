"""Requests per second: one bucket per tenant, shared by all its keys and processes."""

import pytest
from django.core.management import call_command

from tests.api.answers import problem
from tests.api.crowd import at_once
from tests.cast import Caller

SLOW = "rps=0.01"
"""One request, then none for 100 seconds: no test is as slow as that."""


@pytest.mark.usefixtures("no_errors_logged")
def test_one_request_too_many_is_told_when_to_come_back(alice: Caller) -> None:
    call_command("set_quota", "acme", SLOW)
    first = alice.get("status")
    assert first.status_code == 200
    assert first["RateLimit-Policy"] == '"requests";q=1;w=100'
    assert first["RateLimit"].startswith('"requests";r=0;t=')
    second = alice.get("status")
    answer = problem(second, 429, "rate_limited")
    assert (answer["quota"], answer["limit"]) == ("rps", 0.01)
    assert 90 <= int(second["Retry-After"]) <= 100
    assert second["RateLimit"].startswith('"requests";r=0;t=')


def test_the_headers_count_down(alice: Caller) -> None:
    call_command("set_quota", "acme", "rps=5")
    left = [alice.get("status")["RateLimit"].split(";")[1] for _ in range(3)]
    assert left == sorted(left, reverse=True)
    assert left[0] == "r=4"


def test_all_keys_of_a_tenant_share_its_rate_and_other_tenants_have_their_own(
    alice: Caller, bob: Caller, charlie: Caller
) -> None:
    call_command("set_quota", "acme", SLOW)
    assert alice.get("status").status_code == 200
    problem(bob.get("status"), 429)
    assert charlie.get("status").status_code == 200


def test_nobody_without_a_key_or_a_right_uses_up_the_rate(alice: Caller, bob: Caller) -> None:
    call_command("set_quota", "acme", SLOW)
    problem(bob.post("memories", {"items": [{"text": "x"}]}), 403)
    assert bob.get("health").status_code == 200
    assert alice.get("status").status_code == 200


def test_a_rate_of_0_closes_the_door(alice: Caller) -> None:
    call_command("set_quota", "acme", "rps=0")
    answer = alice.get("status")
    problem(answer, 429)
    assert answer["Retry-After"] == "86400"


def test_without_a_limit_there_are_no_headers(alice: Caller, settings: object) -> None:
    settings.DEFAULT_QUOTAS = {}  # type: ignore[attr-defined]
    assert "RateLimit" not in alice.get("status").headers


@pytest.mark.committed
def test_the_rate_is_exact_across_threads(alice: Caller) -> None:
    call_command("set_quota", "acme", "rps=0.02")
    codes = [answer.status_code for answer in at_once(8, lambda at: alice.get("status"))]
    assert (codes.count(200), codes.count(429)) == (1, 7)
