"""Vectors of two models never meet."""

from typing import Any

import pytest
from django.core.management import call_command

from memory.stores.embedders.registry import forget_embedders
from tests.api.answers import problem
from tests.api.embedders import OTHER, Obedient
from tests.cast import Caller


@pytest.fixture
def moved(alice: Caller, embedder: type[Obedient], settings: Any) -> Caller:
    """Alice, after the server was given another embedder."""
    alice.remember("The parrot sings.", "The cat sleeps.")
    settings.EMBEDDER = OTHER
    return alice


@pytest.mark.usefixtures("no_errors_logged")
def test_another_embedder_is_refused_by_both_names(moved: Caller) -> None:
    for answer in (
        moved.post("recall", {"query": "parrot"}),
        moved.post("memories", {"items": [{"text": "A fish swims."}]}),
    ):
        detail = problem(answer, 503, "embedding_space_mismatch")["detail"]
        assert "obedient/word-sum" in detail and "other/word-sum" in detail
        assert "reindex" in detail
    assert moved.get("memories?source=x").status_code == 200
    assert moved.get("status").json()["tenant"]["memories"] == 2


def test_reindex_mends_it(moved: Caller) -> None:
    moved.call("PATCH", "memories/" + moved_id(moved), {"tags": ["t"]})
    call_command("reindex", "--tenant", "acme")
    found = moved.recall("parrot")
    assert found["results"][0]["text"] == "The parrot sings."
    assert found["results"][0]["retrievers"] == ["vector", "bm25"]
    assert moved.remember("A fish swims.")


def moved_id(caller: Caller) -> str:
    from memory.services.lookup import list_memories

    return str(list_memories(caller.scope).records[0].id)


def test_another_tenant_has_a_space_of_its_own(moved: Caller, charlie: Caller) -> None:
    assert charlie.remember("A fish swims.")
    assert charlie.recall("fish")["results"][0]["retrievers"] == ["vector", "bm25"]


def test_going_back_to_the_first_embedder_needs_nothing(moved: Caller, settings: Any) -> None:
    settings.EMBEDDER = "tests.api.embedders.Obedient"
    assert moved.recall("parrot")["results"][0]["retrievers"] == ["vector", "bm25"]


def test_words_alone_need_no_space(moved: Caller, settings: Any) -> None:
    settings.EMBEDDER = "none"
    assert moved.found("parrot") == ["The parrot sings."]
    assert moved.remember("A fish swims.")


def test_an_embedder_that_cannot_tell_its_space_yet_refuses_no_write(alice: Caller, embedder: type[Obedient]) -> None:
    alice.remember("The parrot sings.")
    forget_embedders()
    embedder.fail()
    answer = alice.post("memories", {"items": [{"text": "A fish swims."}]}).json()
    assert (answer["stored"], answer["notes"]) == (1, ["indexing"])
    assert alice.get("status").json()["embedding"] == "obedient/word-sum"
    assert alice.found("fish")[0] == "A fish swims."


def test_reindex_keeps_filters_words_and_history(alice: Caller, embedder: type[Obedient]) -> None:
    metadata = {"a": 1e300, "b": 1.2345678901234567e18, "c": [True, None, {"d": "x"}], "e": 0.1}
    (stored,) = alice.remember("The parrot sings.", metadata=metadata, tags=["t"])
    (gone,) = alice.remember("The cat sleeps.")
    alice.post("invalidate", {"ids": [gone]})
    alice.call("PATCH", f"memories/{stored}", {"text": "The parrot whistles."})
    call_command("reindex", "--tenant", "acme")
    for key, value in {"a": 1e300, "b": 1.2345678901234567e18, "c.d": "x", "e": 0.1}.items():
        assert alice.found("parrot", filters={key: value}) == ["The parrot whistles."], key
    assert alice.found("cat parrot sings") == ["The parrot whistles."]
    assert "The cat sleeps." in alice.found("cat", include_invalidated=True)
