"""reindex: the indexes made anew from the record."""

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
    assert run("reindex", "--tenant", "acme").strip() == f"{alice.tenant}: 33 versions"
    assert figures(alice) == before
    assert [alice.found(query) for query in ("parrot 7", "cat", "sleeps")] == answers
    assert len(alice.found("parrot", limit=100, filters={"a.b": 1, "tags": "bird"})) == 30
    assert alice.get("status").json()["tenant"]["index_pending"] == 0


def test_all_tenants_are_done_when_none_is_named(alice: Caller, charlie: Caller, run: Run) -> None:
    alice.remember("The parrot sings.")
    charlie.remember("The cat sleeps.")
    wipe(alice)
    wipe(charlie)
    lines = set(run("reindex").splitlines())
    assert {f"{alice.tenant}: 1 versions", f"{charlie.tenant}: 1 versions"} <= lines
    assert (alice.found("parrot"), charlie.found("cat")) == (["The parrot sings."], ["The cat sleeps."])


def test_it_is_audited_once(alice: Caller, run: Run) -> None:
    alice.remember("The parrot sings.")
    run("reindex", "--tenant", "acme")
    assert [action for action, _ in audited(alice.tenant)].count("index.rebuilt") == 1


def test_a_tenant_without_memories_takes_no_harm(alice: Caller, run: Run) -> None:
    assert run("reindex", "--tenant", "acme").strip() == f"{alice.tenant}: 0 versions"
    assert stored_rows(alice.tenant) == {}
