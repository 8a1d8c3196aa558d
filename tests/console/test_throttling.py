"""Tries to sign in: few for an account from one address, more for an address in all, and nothing told of either."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from billing.attempts import PER_ACCOUNT, PER_ADDRESS, Limit, sweep
from tests.api.crowd import at_once
from tests.console.staff import PASSWORD, Member

HERE, THERE = "203.0.113.7", "203.0.113.8"


def attempt(email: str, password: str = "wrong", address: str = HERE, **headers: str) -> Any:
    return Client().post("/sign-in", {"email": email, "password": password}, headers=headers, REMOTE_ADDR=address)


def attempts(count: int, email: str, **more: str) -> list[int]:
    return [attempt(email, **more).status_code for _ in range(count)]


def test_the_eleventh_try_in_a_row_waits_even_with_the_right_password(mira: Member) -> None:
    assert attempts(PER_ACCOUNT.tries, mira.user.email) == [422] * 10
    refused = attempt(mira.user.email, PASSWORD)
    assert refused.status_code == 429
    assert 80 <= int(refused["Retry-After"]) <= 90  # a try comes back every 90 seconds
    page = refused.content.decode()
    assert "Try again in 2 minutes." in page and 'name="password"' in page and "_auth_user_id" not in page
    assert not refused.wsgi_request.user.is_authenticated


def test_capitals_make_no_other_account(mira: Member) -> None:
    attempts(5, mira.user.email)
    assert attempts(6, mira.user.email.upper()) == [422] * 5 + [429]


def test_an_account_that_is_not_there_is_throttled_just_the_same(mira: Member) -> None:
    nobody = "nobo@acme.example"
    assert len(nobody) == len(mira.user.email)
    assert attempts(11, nobody) == attempts(11, mira.user.email) == [422] * 10 + [429]
    there, gone = (
        re.sub(r"\w{64}", "", attempt(email).content.decode()).replace(email, "")  # what Django salts anew
        for email in (mira.user.email, nobody)
    )
    assert there == gone


def test_other_accounts_and_other_addresses_are_not_held_up(mira: Member, vito: Member) -> None:
    attempts(10, mira.user.email)
    assert attempt(vito.user.email, PASSWORD).status_code == 302
    assert attempt(mira.user.email, PASSWORD, THERE).status_code == 302
    assert attempt(mira.user.email, PASSWORD).status_code == 429


def test_signing_in_gives_the_tries_back(mira: Member) -> None:
    for _ in range(2):
        attempts(9, mira.user.email)
        assert attempt(mira.user.email, PASSWORD).status_code == 302


def test_an_address_has_a_limit_over_all_accounts(mira: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("billing.attempts.PER_ADDRESS", Limit(3, 60 * 60))
    assert [attempt(f"a{n}@acme.example").status_code for n in range(4)] == [422, 422, 422, 429]
    refused = attempt(mira.user.email, PASSWORD)
    assert refused.status_code == 429
    assert 1100 <= int(refused["Retry-After"]) <= 1200
    assert attempt(mira.user.email, PASSWORD, THERE).status_code == 302


def test_the_limits_are_those_of_the_documentation() -> None:
    assert (Limit(10, 900), Limit(100, 3600)) == (PER_ACCOUNT, PER_ADDRESS)


def test_one_ipv6_subscriber_is_one_address(mira: Member) -> None:
    codes = [attempt(mira.user.email, address=f"2001:db8:1:2::{n}").status_code for n in range(1, 12)]
    assert codes == [422] * 10 + [429]
    assert attempt(mira.user.email, address="2001:db8:1:3::1").status_code == 422


def test_a_form_that_is_not_filled_in_counts_for_nothing(mira: Member) -> None:
    assert attempts(12, mira.user.email, password="") == [422] * 12
    assert attempt(mira.user.email, PASSWORD).status_code == 302


@pytest.mark.parametrize("address", ["", "unix:"])
def test_without_an_address_the_account_is_what_counts(mira: Member, address: str) -> None:
    assert attempts(11, mira.user.email, address=address) == [422] * 10 + [429]


def test_a_caller_cannot_make_up_an_address(mira: Member) -> None:
    codes = [attempt(mira.user.email, X_Forwarded_For=f"198.51.100.{n}").status_code for n in range(11)]
    assert codes == [422] * 10 + [429]


def test_behind_a_trusted_proxy_its_word_counts_and_nothing_before_it(mira: Member, settings: Any) -> None:
    settings.BEHIND_PROXY = True
    said = [f"198.51.100.{n}, {HERE}" for n in range(11)]
    codes = [attempt(mira.user.email, address="10.0.0.1", X_Forwarded_For=each).status_code for each in said]
    assert codes == [422] * 10 + [429]
    assert attempt(mira.user.email, PASSWORD, "10.0.0.1", X_Forwarded_For=THERE).status_code == 302


def test_no_account_and_no_address_stands_in_the_table(mira: Member) -> None:
    attempt(mira.user.email)
    with connection.cursor() as cursor, pytest.raises(Exception, match="permission denied"):
        cursor.execute("SELECT bucket FROM billing_rate")


def take(bucket: str, tries: int, seconds: float) -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT loci_attempt_take(%s, %s, %s)", [[bucket], [tries], [seconds]])
        wait: float = cursor.fetchone()[0]
        return wait


def test_what_has_come_back_can_be_taken_again_and_is_swept(db: None) -> None:
    assert take("quick", 1, 1e-6) == 0
    assert take("quick", 1, 1e-6) == 0
    assert take("slow", 1, 1000) == 0
    assert sweep() == 1
    assert take("slow", 1, 1000) > 0


@pytest.mark.committed
def test_the_limit_is_exact_when_tries_come_at_once(mira: Member) -> None:
    codes = at_once(16, lambda _: attempt(mira.user.email).status_code)
    assert sorted(codes) == [422] * 10 + [429] * 6
