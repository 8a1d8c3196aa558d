"""Erasure: gone for good, everywhere."""

from typing import Any
from uuid import uuid4

import pytest

from memory.services.jobs import run_next
from tenants.rls import tenant_rows
from tests.api.answers import audited, problem, remember_lines, stored_rows
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")
SENTINEL = "Quetzalcoatlus"


def rows_with(tenant: Any, sentinel: str) -> list[str]:
    """The tables of the database in which any column of any row of the tenant holds the sentinel, in any case."""
    with tenant_rows(tenant) as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'billing_rate'")
        tables = [row[0] for row in cursor.fetchall()]
        found = []
        for table in tables:
            cursor.execute(f'SELECT count(*) FROM "{table}" AS t WHERE t::text ILIKE %s', [f"%{sentinel[:12]}%"])
            if cursor.fetchone()[0]:
                found.append(table)
    return found


def test_an_erased_memory_is_gone_from_every_table(alice: Caller) -> None:
    fields = {"source": f"{SENTINEL}/s", "tags": [SENTINEL], "subject": SENTINEL, "metadata": {SENTINEL: SENTINEL}}
    body = {"items": [{"text": f"A {SENTINEL} flew by.", **fields}]}
    (stored,) = [result["id"] for result in alice.post("memories", body, Idempotency_Key=SENTINEL).json()["results"]]
    alice.call("PATCH", f"memories/{stored}", {"text": f"Two {SENTINEL} flew by."})
    alice.recall(SENTINEL)
    alice.post("invalidate", {"ids": [stored]})
    assert {"memory_version", "memory_posting", "memory_filtervalue"} <= set(rows_with(alice.tenant, SENTINEL))
    assert alice.call("DELETE", "memories", {"ids": [stored]}).json() == {
        "requested": 1,
        "deleted": 1,
        "complete": True,
    }
    assert rows_with(alice.tenant, SENTINEL) == []
    assert stored_rows(alice.tenant) == {}
    problem(alice.get(f"memories/{stored}"), 404, "not_found")
    assert alice.found(SENTINEL, include_invalidated=True) == []


def test_memories_of_a_job_are_gone_with_its_payload(alice: Caller) -> None:
    items = [{"text": f"{SENTINEL} number {n}.", "source": "fossils"} for n in range(70)]
    job = alice.post("memories", {"items": items}).json()["job"]
    assert "memory_job" in rows_with(alice.tenant, SENTINEL)
    assert run_next()
    assert alice.call("DELETE", "memories", {"source": "fossils"}).json()["deleted"] == 70
    assert alice.get(f"jobs/{job}").json()["state"] == "succeeded"
    assert rows_with(alice.tenant, SENTINEL) == []


def test_a_source_is_erased_in_steps_of_1000(alice: Caller, settings: Any) -> None:
    settings.EMBEDDER = "none"
    remember_lines(alice, [f"Line {n}" for n in range(1003)])
    remember_lines(alice, ["Another log."], source="log2")
    first = alice.call("DELETE", "memories", {"source": "log"}).json()
    second = alice.call("DELETE", "memories", {"source": "log"}).json()
    assert first == {"requested": 1000, "deleted": 1000, "complete": False}
    assert second == {"requested": 3, "deleted": 3, "complete": True}
    assert alice.call("DELETE", "memories", {"source": "log"}).json() == {
        "requested": 0,
        "deleted": 0,
        "complete": True,
    }
    assert alice.get("status").json()["tenant"]["memories"] == 1


def test_index_root_guards_a_source(alice: Caller) -> None:
    remember_lines(alice, ["From the notes."], source="a.md", metadata={"index_root": "notes"})
    remember_lines(alice, ["From elsewhere."], source="a.md", metadata={"index_root": "elsewhere"})
    remember_lines(alice, ["From nowhere."], source="a.md")
    listed = alice.get("memories?source=a.md&index_root=notes").json()["items"]
    assert len(listed) == 1
    assert alice.call("DELETE", "memories", {"source": "a.md", "index_root": "other"}).json()["deleted"] == 0
    assert alice.call("DELETE", "memories", {"source": "a.md", "index_root": "notes"}).json()["deleted"] == 1
    assert alice.post("invalidate", {"source": "a.md", "index_root": "elsewhere"}).json()["invalidated"] == 1
    assert alice.found("from") == ["From nowhere."]


def test_ids_out_of_reach_are_passed_over_in_silence(alice: Caller, charlie: Caller) -> None:
    (mine,), (theirs,) = alice.remember("Mine."), charlie.remember("Theirs.")
    unknown = str(uuid4())
    answers = [alice.call("DELETE", "memories", {"ids": [other]}).json() for other in (theirs, unknown, 7)]
    assert answers == [{"requested": 1, "deleted": 0, "complete": True}] * 3
    assert alice.call("DELETE", "memories", {"ids": [theirs, mine, mine]}).json()["deleted"] == 1
    assert charlie.found("theirs") == ["Theirs."]
    assert alice.call("DELETE", "memories", {"source": "Theirs."}).json()["deleted"] == 0


def test_an_erased_text_can_be_stored_anew(alice: Caller) -> None:
    (stored,) = alice.remember("Again.", metadata={"a": 1})
    alice.call("DELETE", "memories", {"ids": [stored]})
    answer = alice.post("memories", {"items": [{"text": "Again."}]}).json()
    assert answer["stored"] == 1
    assert alice.get(f"memories/{answer['results'][0]['id']}").json()["metadata"] == {}


def test_an_erasure_is_audited_once_with_ids_and_without_text(alice: Caller) -> None:
    ids = alice.remember("One secret.", "Two secrets.", source="s")
    alice.call("DELETE", "memories", {"source": "s"})
    alice.call("DELETE", "memories", {"source": "s"})
    events = [detail for action, detail in audited(alice.tenant) if action == "memory.erased"]
    assert events == [{"count": 2, "ids": sorted(ids)}]


def test_a_reader_may_not_erase(alice: Caller, bob: Caller) -> None:
    (stored,) = alice.remember("Mine.")
    problem(bob.call("DELETE", "memories", {"ids": [stored]}), 403, "insufficient_scope")
    assert alice.found("mine") == ["Mine."]


@pytest.mark.parametrize("body", [{}, {"ids": ["x"], "source": "s"}, {"ids": []}, {"ids": ["*"]}, {"source": ""}])
def test_an_erasure_must_say_exactly_what_it_means(alice: Caller, body: dict[str, Any]) -> None:
    alice.remember("Here.")
    problem(alice.call("DELETE", "memories", body), 422, "invalid_request")
    assert alice.found("here") == ["Here."]
