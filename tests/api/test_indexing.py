"""What cannot be indexed yet is stored, says so, is found by its words, and is indexed later."""

import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from memory.services.indexing import BACKOFF, index_pending
from tenants.rls import tenant_rows
from tests.api.answers import remember_lines, stored_rows
from tests.api.embedders import Obedient
from tests.api.statements import watched
from tests.cast import Caller

Index = Callable[[UUID], int]


def tasks(tenant: UUID) -> list[tuple[int, str, float]]:
    """Attempts, error and seconds until due of every index task."""
    with tenant_rows(tenant) as cursor:
        cursor.execute(
            "SELECT attempts, error, extract(epoch FROM lease_until - clock_timestamp())::float8"
            " FROM memory_indextask ORDER BY created_at, id"
        )
        return list(cursor.fetchall())


def arms(caller: Caller, query: str) -> list[str]:
    """The arms that found the best hit."""
    found: list[str] = caller.recall(query)["results"][0]["retrievers"]
    return found


@pytest.mark.usefixtures("no_errors_logged")
def test_an_embedder_that_is_away_costs_no_write(alice: Caller, embedder: type[Obedient], index_again: Index) -> None:
    embedder.fail()
    answer = alice.post("memories", {"items": [{"text": "The parrot sings."}, {"text": "The cat sleeps."}]}).json()
    assert (answer["stored"], answer["failed"], answer["notes"]) == (2, 0, ["indexing"])
    assert [result["searchable"] for result in answer["results"]] == [False, False]
    embedder.obey()
    assert alice.found("parrot") == ["The parrot sings."]
    assert arms(alice, "parrot") == ["bm25"]
    assert alice.get("status").json()["tenant"]["index_pending"] == 2
    assert index_again(alice.tenant) == 2
    assert arms(alice, "parrot") == ["vector", "bm25"]
    assert alice.get("status").json()["tenant"]["index_pending"] == 0
    assert alice.get(f"memories/{answer['results'][0]['id']}").json()["indexed_at"]


def test_an_embedder_of_ones_own_may_raise_anything(
    alice: Caller, embedder: type[Obedient], index_again: Index
) -> None:
    embedder.fail(ZeroDivisionError("odd"))
    answer = alice.post("memories", {"items": [{"text": "The parrot sings."}]}).json()
    assert (answer["stored"], answer["notes"]) == (1, ["indexing"])
    assert index_again(alice.tenant) == 0
    found = alice.recall("parrot")
    assert (len(found["results"]), found["degraded"]) == (1, ["retriever:vector:failed"])
    embedder.obey()
    assert index_again(alice.tenant) == 1


def test_a_correction_that_cannot_be_indexed_yet_is_found_by_its_words(
    alice: Caller, embedder: type[Obedient], index_again: Index
) -> None:
    (stored,) = alice.remember("The parrot sings.")
    embedder.fail()
    assert alice.call("PATCH", f"memories/{stored}", {"text": "The parrot whistles."}).status_code == 200
    embedder.obey()
    assert alice.found("parrot") == ["The parrot whistles."]
    assert arms(alice, "parrot") == ["bm25"]
    assert index_again(alice.tenant) == 1
    assert arms(alice, "parrot") == ["vector", "bm25"]


def test_a_failed_task_waits_longer_each_time(alice: Caller, embedder: type[Obedient], index_again: Index) -> None:
    embedder.fail()
    alice.remember("The parrot sings.")
    ((attempts, error, wait),) = tasks(alice.tenant)
    assert (attempts, error) == (0, "embedder obedient (word-sum): is away")
    assert 0 < wait <= BACKOFF[0]
    assert index_pending() == 0, "not due yet"
    for number, expected in enumerate((*BACKOFF, BACKOFF[-1]), start=1):
        assert index_again(alice.tenant) == 0
        ((attempts, _, wait),) = tasks(alice.tenant)
        assert attempts == number
        assert expected - 1 < wait <= expected


def test_one_text_that_cannot_be_embedded_holds_up_no_other(
    alice: Caller, embedder: type[Obedient], index_again: Index
) -> None:
    embedder.fail(on="poison", retryable=False)
    alice.remember(*[f"Line {n}." for n in range(10)], "A poison.")
    assert index_again(alice.tenant) == 0
    assert index_again(alice.tenant) == 10
    assert len(tasks(alice.tenant)) == 1


def test_a_hanging_embedder_holds_up_a_write_no_longer_than_the_wait(
    alice: Caller, embedder: type[Obedient], settings: Any, index_again: Index
) -> None:
    settings.INDEX_WAIT = 0.05
    event = embedder.hang()
    began = time.monotonic()
    answer = alice.post("memories", {"items": [{"text": "The parrot sings."}]}).json()
    assert time.monotonic() - began < 5
    assert (answer["stored"], answer["notes"], answer["results"][0]["searchable"]) == (1, ["indexing"], False)
    event.set()
    embedder.obey()
    assert index_again(alice.tenant) == 1


def test_a_duplicate_of_what_is_not_indexed_yet_is_no_new_task(alice: Caller, embedder: type[Obedient]) -> None:
    embedder.fail()
    alice.remember("The parrot sings.")
    alice.remember("The parrot sings.")
    assert len(tasks(alice.tenant)) == 1


def test_other_metadata_copies_the_vectors_and_asks_no_embedder(alice: Caller, embedder: type[Obedient]) -> None:
    alice.remember("The parrot sings.")
    calls = list(embedder.calls)
    alice.remember("The parrot sings.", metadata={"a": 1})
    assert embedder.calls == calls
    assert arms(alice, "parrot") == ["vector", "bm25"]


def test_what_is_erased_before_it_is_indexed_leaves_no_task(
    alice: Caller, embedder: type[Obedient], index_again: Index
) -> None:
    embedder.fail()
    ids = alice.remember("The parrot sings.")
    alice.call("DELETE", "memories", {"ids": ids})
    embedder.obey()
    assert index_again(alice.tenant) == 0
    assert stored_rows(alice.tenant) == {}


def test_a_worker_locks_versions_before_what_the_whole_tenant_shares(
    alice: Caller, embedder: type[Obedient], index_again: Index
) -> None:
    embedder.fail()
    alice.remember("The parrot sings.")
    embedder.obey()
    with watched() as statements:
        index_again(alice.tenant)
    order = [sql for sql in statements if sql.startswith(("/* index.lock", "/* space.adopt"))]
    assert [sql[3:].split()[0] for sql in order] == ["index.lock", "space.adopt"]


def test_a_long_text_is_embedded_in_windows_and_nothing_is_cut_off(alice: Caller, embedder: type[Obedient]) -> None:
    alice.remember("filler " * 4000 + "the parrot sings")
    assert max(embedder.calls) > 1
    assert arms(alice, "the parrot sings") == ["vector", "bm25"]


def test_without_an_embedder_everything_works_by_words(alice: Caller, settings: Any) -> None:
    settings.EMBEDDER = "none"
    answer = alice.post("memories", {"items": [{"text": "The parrot sings."}]}).json()
    assert (answer["notes"], answer["results"][0]["searchable"]) == ([], True)
    found = alice.recall("parrot", include_trace=True)
    assert [hit["text"] for hit in found["results"]] == ["The parrot sings."]
    assert (found["degraded"], found["notes"]) == ([], ["retriever:vector:disabled"])
    assert [arm["name"] for arm in found["trace"]["retrievers"]] == ["bm25"]
    (stored,) = [result["id"] for result in answer["results"]]
    assert alice.call("PATCH", f"memories/{stored}", {"text": "The parrot whistles."}).status_code == 200
    assert alice.found("parrot") == ["The parrot whistles."]
    assert alice.get("status").json()["embedding"] == "none"
    assert alice.call("DELETE", "memories", {"ids": [stored]}).json()["deleted"] == 1


def test_texts_without_any_word_are_stored_too(alice: Caller, embedder: type[Obedient]) -> None:
    alice.remember("?!", "…", "the")
    assert len(alice.found("anything at all")) == 3


def test_many_pending_versions_are_indexed_in_batches(
    alice: Caller, embedder: type[Obedient], index_again: Index
) -> None:
    embedder.fail()
    remember_lines(alice, [f"Line {n}." for n in range(100)])
    embedder.obey()
    assert index_again(alice.tenant) == 100
    assert max(embedder.calls) <= 32
