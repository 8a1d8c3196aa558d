"""Writes of 65 to 1,000 items, as jobs."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from loci.ground.errors import Unavailable
from memory.services import jobs
from memory.services.indexing import index_pending
from memory.services.jobs import run_next
from tenants.rls import tenant_rows
from tests.api.answers import audited, problem, stored_rows
from tests.api.crowd import at_once
from tests.cast import Caller


def submit(caller: Caller, count: int = 150, **fields: Any) -> str:
    items = [{"text": f"Item number {n}.", "source": "batch", "offset": n, **fields} for n in range(count)]
    answer = caller.post("memories", {"items": items})
    assert answer.status_code == 202, answer.content
    job: str = answer.json()["job"]
    return job


def forget_lease(tenant: Any) -> None:
    """As if the worker's lease had run out."""
    with tenant_rows(tenant) as cursor:
        cursor.execute("UPDATE memory_job SET lease_until = now() - interval '1 second'")


def payload_of(tenant: Any) -> Any:
    with tenant_rows(tenant):
        return jobs.Job.objects.values_list("payload", flat=True).get()


@pytest.mark.usefixtures("no_errors_logged")
def test_many_items_become_a_job_that_tells_how_far_it_is(alice: Caller) -> None:
    answer = alice.post("memories", {"items": [{"text": f"Item {n}."} for n in range(65)]})
    assert answer.status_code == 202
    job = answer.json()["job"]
    assert answer.json() == {"job": job, "state": "queued", "total": 65, "url": f"/api/v1/jobs/{job}"}
    queued = alice.get(f"jobs/{job}").json()
    assert (queued["state"], queued["done"], queued["total"], queued["kind"]) == ("queued", 0, 65, "remember")
    assert "memory_memory" not in stored_rows(alice.tenant)
    assert run_next() and not run_next()
    done = alice.get(answer.json()["url"]).json()
    assert (done["state"], done["done"], done["error"]) == ("succeeded", 65, None)
    assert done["finished_at"] >= done["created_at"]


def test_a_job_has_an_outcome_for_every_item(alice: Caller) -> None:
    alice.remember("Item number 7.", source="batch", offset=7)
    job = submit(alice)
    run_next()
    result = alice.get(f"jobs/{job}").json()["result"]
    assert [one["item"] for one in result["results"]] == list(range(150))
    assert (result["stored"], result["duplicates"], result["failed"]) == (149, 1, 0)
    assert result["results"][7]["status"] == "duplicate"
    assert set(result["results"][0]) == {"id", "status", "item", "offset", "searchable"}
    index_pending()
    assert alice.found("item number 149", limit=1) == ["Item number 149."]


def test_what_an_item_says_survives_the_queue(alice: Caller) -> None:
    fields = {
        "tags": ["a", "😀"],
        "subject": "Dana",
        "agent": "ada",
        "kind": "fact",
        "confidence": 0.5,
        "timestamp": "2026-01-01T00:00:00+01:00",
        "namespace": "attic",
        "metadata": {"n": 1, "deep": {"x": [None, True]}, "valid_from": "2020-01-01", "valid_until": "2999-01-01"},
    }
    job = submit(alice, 65, **fields)
    run_next()
    memory = alice.get(f"memories/{alice.get(f'jobs/{job}').json()['result']['results'][64]['id']}").json()
    assert {name: memory[name] for name in fields} == {**fields, "timestamp": "2025-12-31T23:00:00Z"}
    assert (memory["offset"], memory["valid_from"], memory["valid_to"]) == (
        64,
        "2020-01-01T00:00:00Z",
        "2999-01-01T00:00:00Z",
    )


def test_the_payload_is_emptied_at_the_end(alice: Caller) -> None:
    submit(alice)
    assert payload_of(alice.tenant)
    run_next()
    assert payload_of(alice.tenant) == {}


def test_a_crash_between_batches_costs_nothing_and_doubles_nothing(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = submit(alice)
    remember, calls = jobs.remember, []

    def crash(*args: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return remember(*args, **options)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(jobs, "remember", crash)
        run_next()
    half = alice.get(f"jobs/{job}").json()
    assert (half["state"], half["done"]) == ("running", 64)
    assert not run_next(), "its lease has not run out"
    forget_lease(alice.tenant)
    assert run_next()
    done = alice.get(f"jobs/{job}").json()
    assert (done["state"], done["done"]) == ("succeeded", 150)
    assert [one["item"] for one in done["result"]["results"]] == list(range(150))
    assert done["result"]["stored"] == 150
    assert stored_rows(alice.tenant)["memory_memory"] == 150


def test_a_crash_after_a_batch_was_stored_stores_it_once(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    job = submit(alice)
    remember = jobs.remember

    def crash(*args: Any, **options: Any) -> Any:
        remember(*args, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(jobs, "remember", crash)
        run_next()
    forget_lease(alice.tenant)
    run_next()
    result = alice.get(f"jobs/{job}").json()["result"]
    assert (result["stored"], result["duplicates"]) == (86, 64)
    assert stored_rows(alice.tenant)["memory_memory"] == 150


def test_a_job_that_crashes_every_time_is_given_up(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    job = submit(alice)
    monkeypatch.setattr(jobs, "remember", lambda *args, **options: 1 / 0)
    for _ in range(jobs.MAX_ATTEMPTS):
        assert run_next()
        assert alice.get(f"jobs/{job}").json()["state"] == "running"
        forget_lease(alice.tenant)
    run_next()
    failed = alice.get(f"jobs/{job}").json()
    assert (failed["state"], failed["done"]) == ("failed", 0)
    assert "attempts" in failed["error"]
    assert payload_of(alice.tenant) == {}


def test_a_job_waits_while_something_is_unavailable(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    job = submit(alice)

    def away(*args: Any, **options: Any) -> Any:
        raise Unavailable("Away.")

    with monkeypatch.context() as patched:
        patched.setattr(jobs, "remember", away)
        assert run_next()
    assert alice.get(f"jobs/{job}").json()["state"] == "running"
    forget_lease(alice.tenant)
    run_next()
    assert alice.get(f"jobs/{job}").json()["state"] == "succeeded"


def test_a_job_that_passes_the_quota_fails_and_says_so(alice: Caller) -> None:
    call_command("set_quota", "acme", "memories=100")
    job = submit(alice)
    run_next()
    failed = alice.get(f"jobs/{job}").json()
    assert (failed["state"], failed["done"], failed["result"]["stored"]) == ("failed", 64, 64)
    assert "limit of 100 memories" in failed["error"]
    assert payload_of(alice.tenant) == {}


def test_a_faulty_item_is_told_at_once_and_queues_nothing(alice: Caller) -> None:
    items: list[dict[str, Any]] = [{"text": f"Item {n}."} for n in range(100)]
    answer = alice.post("memories", {"items": [*items, {"text": "x", "source": "a|b"}]})
    assert problem(answer, 400, "rule_broken")["detail"].startswith("items[100]: source")
    problem(alice.post("memories", {"items": [{"text": "x"}] * 1001}), 422, pointer="/items")
    problem(alice.post("memories", {"items": [{"text": "y" * 800 * 129, "source": "s", "chunk": True}]}), 422)
    assert stored_rows(alice.tenant) == {}


def test_64_items_and_128_chunks_are_stored_at_once(alice: Caller) -> None:
    assert alice.post("memories", {"items": [{"text": f"Item {n}."} for n in range(64)]}).json()["stored"] == 64
    text = "".join(f"{n:0>800}" for n in range(128))
    answer = alice.post("memories", {"items": [{"text": text, "source": "s", "chunk": True}]})
    assert answer.json()["stored"] == 128


def test_a_job_is_its_own_keys_and_an_admins(alice: Caller, charlie: Caller) -> None:
    job = submit(alice, 65)
    other, admin = alice.with_key(), alice.with_key(["admin"])
    problem(other.get(f"jobs/{job}"), 404, "not_found")
    problem(charlie.get(f"jobs/{job}"), 404, "not_found")
    problem(alice.get(f"jobs/{uuid4()}"), 404, "not_found")
    assert other.get("jobs").json()["items"] == []
    assert admin.get(f"jobs/{job}").json()["id"] == job
    assert [one["id"] for one in admin.get("jobs").json()["items"]] == [job]


@pytest.mark.parametrize(
    "narrowing",
    [
        {"namespaces": ["attic"]},
        {"namespaces": ["attic", "hall"]},
        {"filters": {"team": "x"}},
        {"filters": {"team": True}},
        {"agent": "ada"},
        {"namespaces": ["attic"], "filters": {"team": "x"}, "agent": "ada"},
    ],
)
def test_a_narrowed_admin_sees_no_job_that_reached_further(alice: Caller, narrowing: dict[str, Any]) -> None:
    wide, elsewhere = submit(alice, 65), submit(alice.with_key(namespaces=["cellar"], filters={"team": 1}), 65)
    admin = alice.with_key(["admin"], **narrowing)
    namespace = narrowing.get("namespaces", ["default"])[0]
    within = submit(alice.with_key(**narrowing), 65, namespace=namespace)
    own = submit(admin, 65, namespace=namespace)
    for out_of_reach in (wide, elsewhere):
        problem(admin.get(f"jobs/{out_of_reach}"), 404, "not_found")
    assert [one["id"] for one in admin.get("jobs").json()["items"]] == [own, within]
    assert admin.get(f"jobs/{within}").json()["id"] == within


def test_a_narrowed_admin_sees_the_jobs_of_keys_narrower_still(alice: Caller) -> None:
    admin = alice.with_key(["admin"], namespaces=["attic", "hall"], filters={"team": "x"})
    job = submit(alice.with_key(namespaces=["hall"], filters={"team": "x", "ward": 7}, agent="ada"), 65)
    assert [one["id"] for one in admin.get("jobs").json()["items"]] == [job]


def test_one_job_too_many_is_told_the_limit_and_what_to_do(alice: Caller, charlie: Caller) -> None:
    call_command("set_quota", "acme", "jobs=2")
    submit(alice, 65)
    job = submit(alice, 65)
    answer = alice.post("memories", {"items": [{"text": f"Item {n}."} for n in range(65)]})
    told = problem(answer, 429, "too_many_jobs")
    assert (told["quota"], told["limit"], told["used"]) == ("jobs", 2, 2)
    assert "2 jobs waiting or running" in told["detail"] and "64 items or fewer" in told["detail"]
    assert int(answer["Retry-After"]) > 0
    assert stored_rows(alice.tenant)["memory_job"] == 2
    assert alice.remember("A small write goes on."), "only jobs are limited"
    submit(charlie, 65)
    while alice.get(f"jobs/{job}").json()["state"] != "succeeded":
        assert run_next()
    submit(alice, 65)


def test_what_is_refused_for_want_of_room_can_be_sent_again_under_its_key(alice: Caller) -> None:
    call_command("set_quota", "acme", "jobs=1")
    submit(alice, 65)
    body = {"items": [{"text": f"Item {n}."} for n in range(65)]}
    problem(alice.post("memories", body, Idempotency_Key="again"), 429, "too_many_jobs")
    run_next()
    assert alice.post("memories", body, Idempotency_Key="again").status_code == 202


@pytest.mark.committed
def test_the_limit_on_jobs_is_exact_across_threads(alice: Caller) -> None:
    call_command("set_quota", "acme", "jobs=3")
    items = [{"text": f"Item {n}."} for n in range(65)]
    statuses = at_once(8, lambda _: Client().generic("POST", "/api/v1/memories", json.dumps({"items": items}),
        content_type="application/json", headers={"X-API-Key": alice.key}).status_code)  # fmt: skip
    assert sorted(statuses) == [202] * 3 + [429] * 5
    assert stored_rows(alice.tenant)["memory_job"] == 3


def test_jobs_are_listed_newest_first_page_by_page(alice: Caller) -> None:
    submitted = [submit(alice, 65) for _ in range(3)]
    first = alice.get("jobs?limit=2").json()
    assert [one["id"] for one in first["items"]] == submitted[:0:-1]
    assert all(one["result"] is None for one in first["items"])
    second = alice.get(f"jobs?limit=2&before={first['next'].replace('+', '%2B')}").json()
    assert ([one["id"] for one in second["items"]], second["next"]) == (submitted[:1], None)


def test_a_job_keeps_to_the_narrowing_of_its_key(alice: Caller) -> None:
    narrow = alice.with_key(namespaces=["attic"], filters={"team": "x"}, agent="ada")
    job = submit(narrow, 65)
    run_next()
    memory = alice.get(f"memories/{narrow.get(f'jobs/{job}').json()['result']['results'][0]['id']}").json()
    assert (memory["namespace"], memory["metadata"], memory["agent"]) == ("attic", {"team": "x"}, "ada")


def test_each_batch_of_a_job_is_audited_once(alice: Caller) -> None:
    submit(alice)
    run_next()
    events = [detail for action, detail in audited(alice.tenant) if action == "memory.written"]
    assert [event["stored"] for event in events] == [64, 64, 22]
