"""create_member, list_members, and Django's changepassword."""

import getpass
import json
import sys
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from tenants.models import User
from tests.api.answers import audited
from tests.cast import Caller
from tests.commands.conftest import Run


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def typed(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    """Somebody at a terminal who answers so."""
    given = iter(answers)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("tenants.management.commands.create_member.getpass", lambda prompt: next(given))
    monkeypatch.setattr(getpass, "getpass", lambda prompt="": next(given))


def made(run: Run, *args: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run("create_member", *args, "--json"))
    return answer


def test_somebody_new_signs_in_with_the_password_that_is_printed_once(alice: Caller, run: Run) -> None:
    answer = made(run, "Mira@Acme.example", "--tenant", "acme", "--role", "owner")
    assert (answer["tenant"], answer["email"], answer["role"]) == ("acme", "mira@acme.example", "owner")
    assert answer["former_role"] is None and len(answer["password"]) >= 16
    user = authenticate(username="mira@acme.example", password=answer["password"])
    assert user is not None and str(user.pk) == answer["id"]
    assert answer["password"] not in run("list_members", "acme", "--json")
    assert [detail for action, detail in audited(alice.tenant) if action == "member.added"] == [
        {"user": answer["id"], "role": "owner"}
    ]


def test_without_json_it_is_said_in_words(alice: Caller, run: Run) -> None:
    said = run("create_member", "mira@acme.example", "--tenant", "acme", "--role", "viewer").splitlines()
    assert said[0] == "mira@acme.example is viewer of acme."
    assert said[1].startswith("Password: ") and said[2] == "It is not shown again."


def test_somebody_known_keeps_their_password_and_changes_their_role(alice: Caller, charlie: Caller, run: Run) -> None:
    password = made(run, "mira@acme.example", "--tenant", "acme", "--role", "viewer")["password"]
    again = made(run, "mira@acme.example", "--tenant", "acme", "--role", "admin")
    assert (again["password"], again["former_role"]) == (None, "viewer")
    assert made(run, "MIRA@acme.example", "--tenant", "globex", "--role", "viewer")["password"] is None
    assert authenticate(username="mira@acme.example", password=password) is not None
    assert User.objects.count() == 1
    assert [action for action, _ in audited(alice.tenant)][-1] == "member.role_changed"
    assert [action for action, _ in audited(charlie.tenant)][-1] == "member.added"
    said = run("create_member", "mira@acme.example", "--tenant", "acme", "--role", "owner")
    assert said.startswith("mira@acme.example is owner of acme, and was admin before.\nThey sign in with the password")


def test_the_same_role_again_changes_nothing(alice: Caller, run: Run) -> None:
    made(run, "mira@acme.example", "--tenant", "acme", "--role", "viewer")
    before = audited(alice.tenant)
    assert made(run, "mira@acme.example", "--tenant", "acme", "--role", "viewer")["former_role"] == "viewer"
    assert audited(alice.tenant) == before


def test_a_password_of_ones_own_is_asked_for_and_not_shown(
    alice: Caller, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "a quiet harbour", "a quiet harbour")
    answer = made(run, "mira@acme.example", "--tenant", "acme", "--role", "owner", "--ask-password")
    assert answer["password"] is None
    assert authenticate(username="mira@acme.example", password="a quiet harbour") is not None


@pytest.mark.parametrize("answers", [("short",), ("password1234",), ("a quiet harbour", "a quiet haven")])
def test_a_password_that_will_not_do_makes_nobody(
    alice: Caller, fails: Run, monkeypatch: pytest.MonkeyPatch, answers: tuple[str, ...]
) -> None:
    typed(monkeypatch, *answers)
    fails("create_member", "mira@acme.example", "--tenant", "acme", "--role", "owner", "--ask-password")
    assert not User.objects.exists()


@pytest.mark.parametrize(
    "args",
    [
        ("mira", "--tenant", "acme", "--role", "owner"),
        ("mira@acme.example", "--tenant", "nobody", "--role", "owner"),
        ("mira@acme.example", "--tenant", "acme", "--role", "king"),
        ("mira@acme.example", "--tenant", "acme"),
        ("mira@acme.example", "--role", "owner"),
        ("m" * 300 + "@acme.example", "--tenant", "acme", "--role", "owner"),
    ],
)
def test_an_error_is_one_line_and_makes_nobody(alice: Caller, fails: Run, args: tuple[str, ...]) -> None:
    fails("create_member", *args)
    assert not User.objects.exists()


def test_asking_needs_a_terminal(alice: Caller) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("create_member", "m@a.example", "--tenant", "acme", "--role", "owner", "--ask-password")
    assert caught.value.returncode == 2


def test_members_are_listed_by_address_with_their_role(alice: Caller, charlie: Caller, run: Run) -> None:
    for email, role in (("vito@acme.example", "viewer"), ("mira@acme.example", "owner")):
        run("create_member", email, "--tenant", "acme", "--role", role)
    assert run("list_members", "acme") == "mira@acme.example  owner  never\nvito@acme.example  viewer  never\n"
    listed = json.loads(run("list_members", "acme", "--json"))
    assert [(each["email"], each["role"], each["active"]) for each in listed] == [
        ("mira@acme.example", "owner", True),
        ("vito@acme.example", "viewer", True),
    ]
    assert run("list_members", "globex") == ""


def test_djangos_own_command_sets_another_password(alice: Caller, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("create_member", "mira@acme.example", "--tenant", "acme", "--role", "owner")
    typed(monkeypatch, "a quiet harbour", "a quiet harbour")
    call_command("changepassword", "mira@acme.example")
    assert authenticate(username="mira@acme.example", password="a quiet harbour") is not None
