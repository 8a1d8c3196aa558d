"""`Idempotency-Key`: one request, however often it is sent."""

from typing import Any

import pytest

from memory.api import memories
from tenants import idempotency
from tenants.rls import tenant_rows
from tests.api.answers import problem, stored_rows
from tests.api.crowd import at_once
from tests.cast import Caller

BODY = {"items": [{"text": "Once only.", "source": "s"}, {"text": "Twice.", "tags": ["t"]}]}


def send(caller: Caller, body: Any = BODY, key: str = "k-1") -> Any:
    return caller.post("memories", body, Idempotency_Key=key)


def test_a_replay_gives_the_identical_answer(alice: Caller) -> None:
    first, again = send(alice), send(alice)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json() == first.json()
    assert first.json()["stored"] == 2
    assert "Idempotency-Replayed" not in first.headers
    assert again["Idempotency-Replayed"] == "true"


def test_a_replay_after_an_erasure_gives_the_old_answer_and_stores_nothing(alice: Caller) -> None:
    first = send(alice)
    alice.call("DELETE", "memories", {"ids": [result["id"] for result in first.json()["results"]]})
    assert send(alice).json() == first.json()
    assert stored_rows(alice.tenant) == {}


def test_the_order_of_keys_in_the_body_does_not_matter(alice: Caller) -> None:
    send(alice, b'{"items": [{"text": "a", "source": "s"}]}')
    assert send(alice, b'{"items": [{"source": "s", "text": "a"}]}')["Idempotency-Replayed"] == "true"


def test_the_same_key_with_another_body_is_refused(alice: Caller) -> None:
    send(alice)
    answer = send(alice, {"items": [{"text": "Something else."}]})
    document = problem(answer, 422, "invalid_request", "/header/Idempotency-Key")
    assert document["detail"][0]["type"] == "idempotency_reuse"
    assert "Something else." not in alice.found("something else")


def test_a_key_in_flight_is_a_conflict(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    inner: list[Any] = []

    def slow(*args: Any, **named: Any) -> Any:
        inner.append(send(alice))
        inner.append(send(alice, {"items": [{"text": "Another body."}]}))
        return []

    monkeypatch.setattr(memories, "store", slow)
    assert send(alice).status_code == 200
    same, other = inner
    problem(same, 409, "idempotency_in_flight")
    assert int(same["Retry-After"]) >= 1
    problem(other, 422, "invalid_request")


def test_a_first_attempt_that_died_is_taken_over_after_its_lease(alice: Caller, monkeypatch: Any) -> None:
    def die(*args: Any, **named: Any) -> Any:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(memories, "store", die)
        patched.setattr(idempotency, "_forget", lambda *args: None)
        with pytest.raises(SystemExit):
            send(alice)
    problem(send(alice), 409, "idempotency_in_flight")
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute("UPDATE tenants_idempotencyrecord SET lease_until = now() - interval '1 second'")
    assert send(alice).json()["stored"] == 2


def test_a_failed_request_can_be_tried_again(alice: Caller) -> None:
    problem(send(alice, {"items": [{"text": " "}]}), 400)
    problem(send(alice, {"items": [{"text": 7}]}), 422)
    assert send(alice).json()["stored"] == 2


def test_an_expired_record_counts_no_more(alice: Caller) -> None:
    send(alice)
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute("UPDATE tenants_idempotencyrecord SET expires_at = now() - interval '1 second'")
    assert send(alice, {"items": [{"text": "New."}]}).json()["stored"] == 1
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute("UPDATE tenants_idempotencyrecord SET expires_at = now() - interval '1 second'")
    assert idempotency.sweep() == 1


def test_what_has_expired_goes_whosever_it_is_and_nothing_else(alice: Caller, charlie: Caller) -> None:
    for caller in (alice, charlie):
        send(caller)
        with tenant_rows(caller.tenant) as cursor:
            cursor.execute("UPDATE tenants_idempotencyrecord SET expires_at = now() - interval '1 second'")
        assert send(caller.with_key()).json()["stored"] == 0
    assert (idempotency.sweep(), idempotency.sweep()) == (2, 0)
    for caller in (alice, charlie):
        with tenant_rows(caller.tenant) as cursor:
            cursor.execute("SELECT count(*) FROM tenants_idempotencyrecord")
            assert cursor.fetchone() == (1,)


def test_keys_are_each_credentials_own(alice: Caller, charlie: Caller) -> None:
    other = alice.with_key()
    assert send(alice).json()["stored"] == 2
    assert send(other).json()["duplicates"] == 2
    assert send(charlie).json()["stored"] == 2


def test_a_job_is_submitted_once(alice: Caller) -> None:
    body = {"items": [{"text": f"Item {n}."} for n in range(65)]}
    first, again = send(alice, body), send(alice, body)
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json()
    assert len(alice.get("jobs").json()["items"]) == 1


@pytest.mark.committed
def test_twenty_concurrent_replays_make_one_memory(alice: Caller) -> None:
    answers = at_once(20, lambda at: send(alice))
    assert {answer.status_code for answer in answers} <= {200, 409}
    stored = [answer.json() for answer in answers if answer.status_code == 200]
    assert stored and all(answer == stored[0] for answer in stored)
    assert stored[0]["stored"] == 2
    assert stored_rows(alice.tenant)["memory_memory"] == 2
    assert send(alice).json() == stored[0]


@pytest.mark.committed
def test_twenty_concurrent_writes_of_one_text_make_one_memory(alice: Caller) -> None:
    answers = at_once(20, lambda at: alice.post("memories", BODY).json())
    assert sum(answer["stored"] for answer in answers) == 2
    assert sum(answer["duplicates"] for answer in answers) == 38
    assert stored_rows(alice.tenant)["memory_version"] == 2
    assert alice.get("status").json()["tenant"]["memories"] == 2
