"""`manage.py evaluate`: golden questions from a terminal."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.cast import Caller


@pytest.fixture
def asked(alice: Caller) -> Caller:
    """A tenant with a question that finds its memory first."""
    (tea,) = alice.remember("Dana prefers tea.")
    alice.post("golden-questions", {"questions": [{"question": "what does Dana\x1b[2J drink, tea?", "expect": [tea]}]})
    return alice


def test_a_run_is_printed_and_kept(asked: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("evaluate", "acme")
    assert "1 questions: recall@1 1.000" in capsys.readouterr().out
    call_command("evaluate", "acme", "--json")
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert asked.get("golden-runs").json()["items"][0]["id"] == told["id"]


def test_a_run_under_the_wanted_share_fails_and_names_what_got_worse(
    asked: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("evaluate", "acme", "--fail-under", "1")
    (memory,) = [one["expected"][0] for one in asked.get("golden-questions").json()["items"]]
    asked.post("invalidate", {"ids": [memory]})
    with pytest.raises(CommandError, match=r"Recall at 10 is 0\.000, under 0\.8\.") as failed:
        call_command("evaluate", "acme", "--fail-under", "0.8")
    assert failed.value.returncode == 1
    assert (
        "worse: what does Dana\N{REPLACEMENT CHARACTER}[2J drink, tea?: rank 1 -> not found" in capsys.readouterr().out
    )


def test_a_share_that_is_none_is_refused(asked: Caller) -> None:
    with pytest.raises(CommandError, match="is no share"):
        call_command("evaluate", "acme", "--fail-under", "80")


def test_without_questions_there_is_nothing_to_evaluate(alice: Caller) -> None:
    with pytest.raises(CommandError, match="add some to /golden-questions first"):
        call_command("evaluate", "acme")
