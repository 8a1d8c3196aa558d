"""reindex: the indexes made anew from the record."""

import json
import re
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command

from memory.services import reindex as service
from tenants.rls import tenant_rows
from tests.api.answers import audited, stored_rows
from tests.cast import Caller
from tests.commands.conftest import Run

DERIVED = ("memory_vector", "memory_sign", "memory_posting", "memory_filtervalue")


def wipe(caller: Caller) -> None:
    with tenant_rows(caller.tenant) as cursor:
        for table in DERIVED:
            cursor.execute(f"DELETE FROM {table}")
        cursor.execute("UPDATE memory_corpus SET documents = 0, length = 0")


def figures(caller: Caller) -> list[int]:
    with tenant_rows(caller.tenant) as cursor:
        found = []
        for table in DERIVED:
            cursor.execute(f"SELECT count(*) FROM {table}")
            found.append(cursor.fetchone()[0])
        cursor.execute("SELECT documents, length FROM memory_corpus")
        return [*found, *cursor.fetchone()]


def test_lost_indexes_come_back_as_they_were(alice: Caller, run: Run) -> None:
    alice.remember(*[f"The parrot number {n} sings." for n in range(30)], tags=["bird"], metadata={"a": {"b": 1}})
    (gone,) = alice.remember("A retracted parrot.")
    alice.post("invalidate", {"ids": [gone]})
    (corrected,) = alice.remember("The cat sleeps.")
    alice.call("PATCH", f"memories/{corrected}", {"text": "The cat hunts."})
    answers, before = [alice.found(query) for query in ("parrot 7", "cat", "sleeps")], figures(alice)
    wipe(alice)
    assert run("reindex", "--tenant", "acme").startswith("acme: 33 versions in ")
    assert figures(alice) == before
    assert [alice.found(query) for query in ("parrot 7", "cat", "sleeps")] == answers
    assert len(alice.found("parrot", limit=100, filters={"a.b": 1, "tags": "bird"})) == 30
    assert alice.get("status").json()["tenant"]["index_pending"] == 0


def test_all_tenants_are_done_when_none_is_named(alice: Caller, charlie: Caller, run: Run) -> None:
    alice.remember("The parrot sings.")
    charlie.remember("The cat sleeps.")
    wipe(alice)
    wipe(charlie)
    assert re.findall(r"^(\w+): 1 versions in \d+\.\d s$", run("reindex"), re.MULTILINE) == ["acme", "globex"]
    assert (alice.found("parrot"), charlie.found("cat")) == (["The parrot sings."], ["The cat sleeps."])


def test_it_is_audited_once(alice: Caller, run: Run) -> None:
    alice.remember("The parrot sings.")
    run("reindex", "--tenant", "acme")
    assert [action for action, _ in audited(alice.tenant)].count("index.rebuilt") == 1


def test_a_tenant_without_memories_takes_no_harm(alice: Caller, run: Run) -> None:
    assert run("reindex", "--tenant", "acme").startswith("acme: 0 versions in ")
    assert stored_rows(alice.tenant) == {}


def test_as_json_it_tells_what_was_done(alice: Caller, charlie: Caller, run: Run) -> None:
    alice.remember("The parrot sings.", "The cat sleeps.")
    found = json.loads(run("reindex", "--json"))
    assert [(each["tenant"], each["versions"]) for each in found] == [("acme", 2), ("globex", 0)]
    assert all(each["seconds"] >= 0 for each in found)


def test_an_interrupted_run_says_how_to_go_on_and_goes_on_there(
    alice: Caller, run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alice.remember(*[f"The parrot number {n} sings." for n in range(12)])
    before = figures(alice)
    wipe(alice)
    monkeypatch.setattr(service, "BATCH", 4)
    index, calls = service.index_versions, []

    def interrupted(*args: Any, **options: Any) -> int:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return index(*args, **options)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(service, "index_versions", interrupted)
        call_command("reindex", "--tenant", "acme")
    said = capsys.readouterr().err
    assert "acme: stopped after 8 versions. To go on: reindex --tenant acme --after " in said
    onward = said.split("To go on: ")[1].split()
    assert UUID(onward[-1])
    assert run(*onward).startswith("acme: 4 versions in ")
    assert figures(alice) == before
    assert alice.get("status").json()["tenant"]["index_pending"] == 0


def test_going_on_needs_a_tenant_and_the_same_embedder(alice: Caller, fails: Run, settings: Any) -> None:
    (memory,) = alice.remember("The parrot sings.")
    assert "--tenant" in fails("reindex", "--after", memory)
    settings.EMBEDDER = "none"
    assert "from the beginning" in fails("reindex", "--tenant", "acme", "--after", memory)
    settings.EMBEDDER = "static"
    assert alice.recall("parrot")["results"][0]["retrievers"] == ["vector", "bm25"]
