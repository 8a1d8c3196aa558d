"""Golden questions: what recalls are expected to find, and how often they do."""

import json
from typing import Any
from uuid import uuid4

import pytest

from memory.services import golden
from memory.services.jobs import run_next
from tenants.rls import tenant_rows
from tests.cast import Caller

TEA, FAX, SHIP = "Dana prefers tea.", "The fax on ward 7 is broken.", "The ship sails on Friday."


def add(caller: Caller, *questions: tuple[str, list[str]], **more: Any) -> list[dict[str, Any]]:
    items = [{"question": question, "expect": expect, **more} for question, expect in questions]
    answer = caller.post("golden-questions", {"questions": items})
    assert answer.status_code == 200, answer.content
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


def run(caller: Caller, **how: Any) -> dict[str, Any]:
    answer = caller.post("golden-runs", how)
    assert answer.status_code == 200, answer.content
    told: dict[str, Any] = answer.json()
    return told


def listed(caller: Caller) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = caller.get("golden-questions").json()["items"]
    return items


def test_questions_are_added_listed_run_and_removed(alice: Caller) -> None:
    tea, fax, ship = alice.remember(TEA, FAX, SHIP)
    first, second = add(alice, ("what does Dana drink?", [tea]), ("fax ward 7", [fax]))
    assert (first["status"], second["status"]) == ("added", "added")
    told = run(alice)
    assert (told["questions"], told["recall_at_10"], told["worse"]) == (2, 1.0, [])
    assert told["ranks"][second["id"]] == 1
    newest, oldest = listed(alice)
    assert (newest["id"], oldest["question"], oldest["expected"]) == (second["id"], "what does Dana drink?", [tea])
    ids = [first["id"], str(uuid4())]
    assert alice.call("DELETE", "golden-questions", {"ids": ids}).json() == {"requested": 2, "deleted": 1}
    assert [one["id"] for one in listed(alice)] == [second["id"]]
    assert alice.get(f"memories/{tea}").status_code == 200
    assert ship


def test_the_same_question_expects_more_when_it_is_added_again(alice: Caller) -> None:
    tea, fax = alice.remember(TEA, FAX)
    (first,) = add(alice, ("what?", [tea]))
    assert add(alice, ("what?", [fax])) == [{"id": first["id"], "status": "extended"}]
    assert add(alice, ("what?", [fax, tea])) == [{"id": first["id"], "status": "unchanged"}]
    assert add(alice, ("what?", [tea]), filters={"ward": 7})[0]["status"] == "added"
    assert sorted(listed(alice)[1]["expected"]) == sorted([tea, fax])


def test_figures_are_shares_of_what_is_expected_and_fits(alice: Caller) -> None:
    tea, fax, ship = alice.remember(TEA, FAX, SHIP)
    add(alice, ("fax", [fax, ship]), ("tea", [tea]))
    told = run(alice, mode="natural")
    assert (told["recall_at_1"], told["mrr"]) == (1.0, 1.0)
    assert told["recall_at_10"] == 0.75  # words alone do not find the other one


def test_what_got_worse_is_named_with_both_ranks(alice: Caller) -> None:
    (fax,) = alice.remember(FAX)
    (question,) = add(alice, ("fax ward 7 broken", [fax]))
    run(alice)
    alice.post("invalidate", {"ids": [fax]})
    worse = {"id": question["id"], "question": "fax ward 7 broken", "before": 1, "now": None}
    assert run(alice)["worse"] == [worse]
    alice.remember(FAX)
    newest, middle, oldest = (run(alice), *alice.get("golden-runs").json()["items"][1:])
    assert [one["id"] for one in newest["better"]] == [question["id"]]
    assert middle["worse"] and not oldest["worse"]


def test_a_run_that_is_sent_again_is_answered_alike(alice: Caller) -> None:
    (tea,) = alice.remember(TEA)
    add(alice, ("tea", [tea]))
    first, second = (alice.post("golden-runs", {}, Idempotency_Key="nightly") for _ in range(2))
    assert first.json() == second.json() and second.headers["Idempotency-Replayed"] == "true"
    assert len(alice.get("golden-runs").json()["items"]) == 1


def test_settings_that_rank_otherwise_have_another_digest(alice: Caller) -> None:
    (tea,) = alice.remember(TEA)
    add(alice, ("tea", [tea]))
    plain, again, other = run(alice), run(alice), run(alice, fusion="rrf")
    assert plain["settings"] == again["settings"] != other["settings"]
    alice.with_key(["admin"]).call("PATCH", "settings", {"recall": {"fusion": "rrf"}})
    assert run(alice)["settings"] == other["settings"]


def test_an_erased_memory_drops_out_and_is_said_to(alice: Caller) -> None:
    tea, fax = alice.remember(TEA, FAX)
    add(alice, ("what?", [tea, fax]), ("tea", [tea]))
    alice.call("DELETE", "memories", {"ids": [tea]})
    gone, halved = listed(alice)
    assert (gone["expected"], gone["missing"]) == ([], 1)
    assert (halved["expected"], halved["missing"]) == ([fax], 1)
    assert run(alice)["questions"] == 1
    alice.call("DELETE", "memories", {"ids": [fax]})
    answer = alice.post("golden-runs", {})
    assert (answer.status_code, answer.json()["code"]) == (400, "no_questions")


def test_many_questions_are_a_job_and_are_found_by_its_id(alice: Caller) -> None:
    memories = alice.remember(*(f"The colour of number {n} is blue{n}." for n in range(25)))
    add(alice, *((f"blue{n}", [memory]) for n, memory in enumerate(memories)))
    accepted = alice.post("golden-runs", {"stages": {"exact_token": True}})
    assert (accepted.status_code, accepted.json()["total"]) == (202, 25)
    assert run_next()
    job = alice.get(f"jobs/{accepted.json()['job']}").json()
    assert (job["state"], job["done"], job["kind"]) == ("succeeded", 25, "evaluate")
    told = alice.get(f"golden-runs/{job['result']['run']}").json()
    assert (told["questions"], told["recall_at_1"], len(told["ranks"])) == (25, job["result"]["recall_at_1"], 25)


def test_a_job_goes_on_where_a_dead_worker_stopped(alice: Caller) -> None:
    memories = alice.remember(*(f"The colour of number {n} is blue{n}." for n in range(25)))
    results = add(alice, *((f"blue{n}", [memory]) for n, memory in enumerate(memories)))
    accepted = alice.post("golden-runs", {}).json()
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute(
            "/* test.died */ UPDATE memory_job SET result = %s::jsonb WHERE id = %s",
            [json.dumps({"ranks": {results[0]["id"]: [7]}}), accepted["job"]],
        )
    assert run_next()
    assert alice.get(f"golden-runs/{accepted['job']}").json()["ranks"][results[0]["id"]] == 7


def test_asking_the_questions_teaches_nothing(alice: Caller) -> None:
    (tea,) = alice.remember(TEA)
    add(alice, ("tea", [tea]))
    run(alice, record_access=True, record_exposures=True)
    with tenant_rows(alice.tenant) as cursor:
        cursor.execute("/* test.count */ SELECT count(*) FROM memory_access")
        assert cursor.fetchone() == (0,)


def test_a_memory_out_of_reach_is_refused_as_one_that_is_not_there(alice: Caller, charlie: Caller) -> None:
    (foreign,) = charlie.remember(TEA)
    (elsewhere,) = alice.remember(FAX, namespace="red")
    (tea,) = alice.remember(TEA)
    narrow = alice.with_key(namespaces=["default"])
    answers = [
        caller.post("golden-questions", {"questions": [{"question": "x", "expect": [tea, hit]}]})
        for caller, hit in ((alice, foreign), (alice, str(uuid4())), (narrow, elsewhere))
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert {answer.json()["detail"] for answer in answers} == {"questions[0].expect[1]: there is no such memory."}
    assert listed(alice) == []


def test_a_narrowed_key_has_questions_and_runs_of_its_own(alice: Caller) -> None:
    (tea,) = alice.remember(TEA, namespace="red")
    narrow, other = alice.with_key(namespaces=["red"]), alice.with_key(namespaces=["red", "blue"])
    add(alice, ("whole", [tea]))
    (mine,) = add(narrow, ("narrow", [tea]))
    assert [one["question"] for one in listed(narrow)] == ["narrow"]
    assert listed(other) == []
    assert [one["question"] for one in listed(alice)] == ["narrow", "whole"]
    told = run(narrow)
    assert told["questions"] == 1
    assert alice.get("golden-runs").json()["items"] == []
    assert alice.get(f"golden-runs/{told['id']}").status_code == 404
    assert other.call("DELETE", "golden-questions", {"ids": [mine["id"]]}).json()["deleted"] == 0
    alice.call("PATCH", f"memories/{tea}", {"metadata": {"x": 1}})
    assert listed(narrow)[0]["missing"] == 0


def test_questions_and_runs_come_in_pages(alice: Caller) -> None:
    (tea,) = alice.remember(TEA)
    add(alice, *((f"question {n}", [tea]) for n in range(5)))
    for address, number in (("golden-questions", 5), ("golden-runs", 3)):
        if address == "golden-runs":
            for _ in range(3):
                run(alice)
        found, after = [], ""
        while after is not None:
            page = alice.get(f"{address}?limit=2{after}").json()
            found += [one["id"] for one in page["items"]]
            after = f"&before={page['next']}" if page["next"] else None
        assert len(set(found)) == len(found) == number and found == sorted(found, reverse=True)


def test_a_tenant_has_at_most_so_many_questions(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden, "MOST", 3)
    (tea,) = alice.remember(TEA)
    add(alice, *((f"question {n}", [tea]) for n in range(3)))
    add(alice, ("question 1", [tea]))
    answer = alice.post("golden-questions", {"questions": [{"question": "one more", "expect": [tea]}]})
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many_questions")


def test_a_question_expects_at_most_so_many_memories(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden, "MOST_EXPECTED", 2)
    tea, lamp, boat = alice.remember(TEA, "The lamp is green.", "The boat is red.")
    add(alice, ("what is there?", [tea, lamp]))
    more = {"questions": [{"question": "what is there?", "expect": [boat]}]}
    answer = alice.post("golden-questions", more)
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many_expected")
    assert alice.get("golden-questions").json()["items"][0]["expected"] == sorted([tea, lamp])


@pytest.mark.parametrize(
    ("item", "pointer"),
    [
        ({"question": "", "expect": [str(uuid4())]}, "/questions/0/question"),
        ({"question": "x", "expect": []}, "/questions/0/expect"),
        ({"question": "x", "expect": ["no id"]}, "/questions/0/expect/0"),
        ({"question": "x", "expect": [str(uuid4())], "filters": {"ward": {"above": 1}}}, "/questions/0/filters/ward"),
    ],
)
def test_a_question_at_fault_is_named(alice: Caller, item: dict[str, Any], pointer: str) -> None:
    answer = alice.post("golden-questions", {"questions": [item]})
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]


def test_readers_look_and_change_nothing(alice: Caller, bob: Caller) -> None:
    (tea,) = alice.remember(TEA)
    add(alice, ("tea", [tea]))
    assert len(listed(bob)) == 1 and bob.get("golden-runs").status_code == 200
    assert bob.post("golden-runs", {}).status_code == 403
    assert bob.post("golden-questions", {"questions": []}).status_code == 403
