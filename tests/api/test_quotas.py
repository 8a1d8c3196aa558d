"""The limit on memories: exact, for the whole request, and freed by erasure."""

from typing import Any

import pytest
from django.core.management import call_command

from tests.api.answers import audited, problem, stored_rows
from tests.api.crowd import at_once
from tests.cast import Caller


def limit(caller: Caller, *limits: str) -> None:
    call_command("set_quota", "acme", *limits)


def write(caller: Caller, *texts: str) -> Any:
    return caller.post("memories", {"items": [{"text": text} for text in texts]})


@pytest.mark.usefixtures("no_errors_logged")
def test_what_would_pass_the_limit_is_refused_as_a_whole(alice: Caller) -> None:
    limit(alice, "memories=2")
    assert write(alice, "One.").status_code == 200
    answer = problem(write(alice, "Two.", "Three."), 507, "quota_exceeded")
    assert (answer["quota"], answer["limit"], answer["used"]) == ("memories", 2, 1)
    assert stored_rows(alice.tenant)["memory_memory"] == 1
    assert alice.found("two three") == ["One."]
    assert write(alice, "Two.").status_code == 200
    problem(write(alice, "Three."), 507)


def test_a_limit_of_0_stores_nothing(alice: Caller) -> None:
    limit(alice, "memories=0")
    problem(write(alice, "One."), 507)
    assert stored_rows(alice.tenant) == {}


def test_duplicates_updates_and_corrections_cost_nothing(alice: Caller) -> None:
    limit(alice, "memories=1")
    (stored,) = alice.remember("One.")
    assert write(alice, "One.", "One.").json()["duplicates"] == 2
    assert alice.post("memories", {"items": [{"text": "One.", "tags": ["t"]}]}).json()["duplicates"] == 1
    assert alice.call("PATCH", f"memories/{stored}", {"text": "Two."}).status_code == 200
    alice.post("invalidate", {"ids": [stored]})
    assert write(alice, "One.").json()["stored"] == 1
    assert alice.get("status").json()["tenant"] | {"index_lag_seconds": 0} == {
        "memories": 1,
        "memories_limit": 1,
        "index_pending": 0,
        "index_lag_seconds": 0,
    }


def test_erasing_frees_and_retracting_does_not(alice: Caller) -> None:
    limit(alice, "memories=1")
    (stored,) = alice.remember("One.")
    alice.post("invalidate", {"ids": [stored]})
    problem(write(alice, "Two."), 507)
    alice.call("DELETE", "memories", {"ids": [stored]})
    assert write(alice, "Two.").status_code == 200


def test_a_limit_below_what_is_stored_still_lets_erase(alice: Caller) -> None:
    ids = alice.remember("One.", "Two.", "Three.")
    limit(alice, "memories=1")
    problem(write(alice, "Four."), 507)
    assert write(alice, "One.").status_code == 200
    assert alice.call("DELETE", "memories", {"ids": ids}).json()["deleted"] == 3
    assert alice.get("status").json()["tenant"]["memories"] == 0


def test_a_limit_is_one_tenants_own_and_can_be_dropped(alice: Caller, charlie: Caller) -> None:
    limit(alice, "memories=0")
    assert write(charlie, "One.").status_code == 200
    limit(alice, "memories=-1")
    assert write(alice, "One.").status_code == 200
    assert alice.get("status").json()["tenant"]["memories_limit"] is None


def test_setting_a_quota_is_audited_once(alice: Caller) -> None:
    limit(alice, "memories=5", "rps=7")
    events = [detail for action, detail in audited(alice.tenant) if action == "quota.set"]
    assert events == [{"memories": 5.0, "rps": 7.0}]


def test_a_failed_write_with_an_idempotency_key_can_be_tried_again_after_more_was_allowed(alice: Caller) -> None:
    limit(alice, "memories=0")
    body = {"items": [{"text": "One."}]}
    problem(alice.post("memories", body, Idempotency_Key="k"), 507)
    limit(alice, "memories=1")
    assert alice.post("memories", body, Idempotency_Key="k").json()["stored"] == 1


@pytest.mark.committed
def test_eight_writers_at_once_fill_the_limit_exactly(alice: Caller) -> None:
    limit(alice, "memories=20")
    answers = at_once(8, lambda at: [write(alice, f"Note {n} of writer {at}.").status_code for n in range(4)])
    codes = [code for answer in answers for code in answer]
    assert (codes.count(200), codes.count(507)) == (20, 12)
    assert stored_rows(alice.tenant)["memory_memory"] == 20
    assert alice.get("status").json()["tenant"]["memories"] == 20


@pytest.mark.committed
def test_writers_and_erasers_of_the_same_texts_lose_nothing_and_count_right(alice: Caller) -> None:
    texts = [f"Shared {n}." for n in range(5)]
    ids = alice.remember(*texts)

    def act(at: int) -> list[int]:
        order = texts if at % 4 < 2 else texts[::-1]
        bodies = [("POST", {"items": [{"text": text} for text in order]}), ("DELETE", {"ids": ids})]
        return [alice.call(method, "memories", body).status_code for method, body in bodies * 3]

    assert {code for answer in at_once(8, act) for code in answer} == {200}
    rows = stored_rows(alice.tenant)
    assert rows.get("memory_memory", 0) == rows.get("memory_version", 0)
    assert alice.get("status").json()["tenant"]["memories"] == rows.get("memory_memory", 0)
