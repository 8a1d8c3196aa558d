"""Correction: the same memory, another version."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.answers import audited, problem
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def patch(caller: Caller, memory: str, body: Any, **headers: str) -> Any:
    return caller.call("PATCH", f"memories/{memory}", body, **headers)


def test_recall_finds_the_new_text_and_not_the_old_one(alice: Caller) -> None:
    (stored,) = alice.remember("The meeting is on Tuesday.", source="s", tags=["work"])
    answer = patch(alice, stored, {"text": "The appointment falls on Friday."})
    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["text"]) == (stored, "The appointment falls on Friday.")
    assert (answer.json()["source"], answer.json()["tags"]) == ("s", ["work"])
    for query in ("Tuesday", "meeting", "Friday"):
        assert alice.found(query) == ["The appointment falls on Friday."]
    assert alice.found("meeting on Tuesday", include_invalidated=True) == ["The appointment falls on Friday."]


def test_the_etag_names_the_version_and_guards_it(alice: Caller) -> None:
    (stored,) = alice.remember("One.")
    etag = alice.get(f"memories/{stored}")["ETag"]
    second = patch(alice, stored, {"text": "Two."}, If_Match=etag)
    assert second.status_code == 200
    assert second["ETag"] == f'"{second.json()["version"]}"' != etag
    stale = problem(patch(alice, stored, {"text": "Three."}, If_Match=etag), 412, "precondition_failed")
    assert stale["current_version"] == second.json()["version"]
    assert patch(alice, stored, {"text": "Three."}, If_Match="*").status_code == 200
    assert alice.get(f"memories/{stored}").json()["text"] == "Three."


def test_metadata_is_a_merge_patch(alice: Caller) -> None:
    (stored,) = alice.remember("One.", metadata={"a": 1, "b": {"c": 1, "d": 2}, "e": [1, 2], "f": {"g": 1}})
    change = {"a": None, "b": {"c": None, "x": {"y": None}}, "e": [3], "f": 7, "n": 1}
    answer = patch(alice, stored, {"metadata": change})
    merged = {"b": {"d": 2, "x": {}}, "e": [3], "f": 7, "n": 1}
    assert answer.json()["metadata"] == merged
    assert alice.get(f"memories/{stored}").json()["metadata"] == merged
    assert alice.found("one", filters={"b.d": 2, "f": 7}) == ["One."]
    assert alice.found("one", filters={"a": 1}) == []


def test_tags_are_replaced_and_can_be_emptied(alice: Caller) -> None:
    (stored,) = alice.remember("One.", tags=["a", "b"])
    assert patch(alice, stored, {"tags": ["c"]}).json()["tags"] == ["c"]
    assert alice.found("one", filters={"tags": "a"}) == []
    assert patch(alice, stored, {"tags": []}).json()["tags"] == []
    assert alice.found("one") == ["One."]


def test_a_patch_of_validity_moves_it(alice: Caller) -> None:
    (stored,) = alice.remember("One.", metadata={"valid_until": "2024-01-01"})
    assert alice.found("one") == []
    assert patch(alice, stored, {"metadata": {"valid_until": "current"}}).json()["valid_to"] is None
    assert alice.found("one") == ["One."]
    assert patch(alice, stored, {"metadata": {"valid_until": "2025-01-01"}}).json()["valid_to"].startswith("2025-01-01")
    assert patch(alice, stored, {"tags": ["t"]}).json()["valid_to"].startswith("2025-01-01")
    problem(patch(alice, stored, {"metadata": {"valid_from": "2026-01-01"}}), 400, "rule_broken")
    problem(patch(alice, stored, {"metadata": {"valid_until": "soon"}}), 400, "rule_broken")
    assert patch(alice, stored, {"metadata": {"valid_until": None}}).json()["valid_to"] is None


def test_the_old_text_sent_again_is_a_duplicate_and_restores_nothing(alice: Caller) -> None:
    (stored,) = alice.remember("The meeting is on Tuesday.")
    patch(alice, stored, {"text": "The meeting is on Friday."})
    answer = alice.post("memories", {"items": [{"text": "The meeting is on Tuesday.", "metadata": {"a": 1}}]}).json()
    assert answer["results"][0]["status"] == "duplicate"
    assert answer["results"][0]["id"] == stored
    assert alice.found("meeting") == ["The meeting is on Friday."]
    assert alice.get(f"memories/{stored}").json()["metadata"] == {}


def test_a_retracted_memory_cannot_be_corrected(alice: Caller) -> None:
    (stored,) = alice.remember("One.")
    alice.post("invalidate", {"ids": [stored]})
    problem(patch(alice, stored, {"text": "Two."}), 409, "retracted")


def test_a_memory_out_of_reach_is_not_found(alice: Caller, bob: Caller, charlie: Caller) -> None:
    (stored,) = alice.remember("One.")
    foreign = problem(patch(charlie, stored, {"text": "Mine now."}), 404, "not_found")
    unknown = problem(patch(charlie, str(uuid4()), {"text": "Mine now."}), 404, "not_found")
    assert {**foreign, "request_id": ""} == {**unknown, "request_id": ""}
    problem(patch(bob, stored, {"text": "Mine now."}), 403, "insufficient_scope")
    assert alice.found("one") == ["One."]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, ""),
        ({"text": None}, ""),
        ({"text": ""}, "/text"),
        ({"text": 7}, "/text"),
        ({"source": "s"}, "/source"),
        ({"tags": "a"}, "/tags"),
        ({"metadata": {"a": 2**63}}, "/metadata"),
        ({"metadata": {str(n): n for n in range(33)}}, "/metadata"),
    ],
)
def test_a_correction_that_does_not_fit_points_at_the_fault(alice: Caller, body: Any, pointer: str) -> None:
    (stored,) = alice.remember("One.")
    problem(patch(alice, stored, body), 422, "invalid_request", pointer)
    assert alice.get(f"memories/{stored}").json()["text"] == "One."


@pytest.mark.parametrize(
    "body", [{"text": "  "}, {"text": "x" * 32_769}, {"metadata": {"_x": 1}}, {"metadata": {"SOURCE": 1}}]
)
def test_a_correction_against_a_rule_changes_nothing(alice: Caller, body: Any) -> None:
    (stored,) = alice.remember("One.")
    problem(patch(alice, stored, body), 400, "rule_broken")
    assert alice.get(f"memories/{stored}").json()["text"] == "One."


def test_merged_metadata_keeps_to_the_limits(alice: Caller) -> None:
    (stored,) = alice.remember("One.", metadata={f"a{n}": n for n in range(20)})
    problem(patch(alice, stored, {"metadata": {f"b{n}": n for n in range(20)}}), 400, "rule_broken")
    patch(alice, stored, {"metadata": {"long": "x" * 10_000}})
    problem(patch(alice, stored, {"metadata": {"more": "x" * 10_000}}), 400, "rule_broken")
    assert "more" not in alice.get(f"memories/{stored}").json()["metadata"]


def test_a_correction_costs_no_quota_and_is_audited_once_without_text(alice: Caller) -> None:
    (stored,) = alice.remember("One.")
    version = patch(alice, stored, {"text": "Two."}).json()["version"]
    assert alice.get("status").json()["tenant"]["memories"] == 1
    events = [detail for action, detail in audited(alice.tenant) if action == "memory.corrected"]
    assert events == [{"id": stored, "version": version}]


def test_a_corrected_memory_can_be_erased_with_all_its_versions(alice: Caller) -> None:
    (stored,) = alice.remember("One.")
    patch(alice, stored, {"text": "Two."})
    assert alice.call("DELETE", "memories", {"ids": [stored]}).json()["deleted"] == 1
    assert alice.found("one two", include_invalidated=True) == []
