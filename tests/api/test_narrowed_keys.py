"""Keys narrowed to namespaces, to bound filters, to one agent: forced into reads, stamped on writes."""

from typing import Any

import pytest
from django.core.management import call_command

from memory.services.jobs import run_next
from tests.api.answers import problem
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")
NARROWINGS: dict[str, dict[str, Any]] = {
    "namespace": {"namespaces": ["attic"]},
    "filter": {"filters": {"team": "x"}},
    "agent": {"agent": "ada"},
}


@pytest.fixture(params=NARROWINGS)
def narrow(request: pytest.FixtureRequest, alice: Caller) -> Caller:
    """A narrowed key of acme, which holds memories out of its reach too."""
    return alice.with_key(**NARROWINGS[request.param])


def test_what_lies_out_of_reach_does_not_exist(alice: Caller, narrow: Caller) -> None:
    (theirs,) = alice.remember("The vault code is 1234.", source="s", metadata={"team": "y"}, agent="bob")
    assert narrow.found("vault code", include_invalidated=True) == []
    assert narrow.found("vault code", as_of="2999-01-01") == []
    assert narrow.recall("vault code", include_trace=True)["trace"]["fused"] == []
    assert narrow.get("memories?source=s").json()["items"] == []
    problem(narrow.get(f"memories/{theirs}"), 404, "not_found")
    problem(narrow.call("PATCH", f"memories/{theirs}", {"text": "Mine."}), 404, "not_found")
    assert narrow.post("invalidate", {"ids": [theirs]}).json()["invalidated"] == 0
    assert narrow.post("invalidate", {"source": "s"}).json()["invalidated"] == 0
    assert narrow.call("DELETE", "memories", {"ids": [theirs]}).json()["deleted"] == 0
    assert narrow.call("DELETE", "memories", {"source": "s"}).json()["deleted"] == 0
    assert alice.found("vault code") == ["The vault code is 1234."]


def test_what_it_writes_it_finds_again_and_so_does_a_wide_key(alice: Caller, narrow: Caller) -> None:
    (mine,) = narrow.remember("The attic is dry.", source="s")
    assert narrow.found("attic") == alice.found("attic") == ["The attic is dry."]
    assert narrow.get(f"memories/{mine}").status_code == 200
    assert narrow.call("PATCH", f"memories/{mine}", {"text": "The attic is wet.", "tags": ["t"]}).status_code == 200
    assert narrow.found("attic") == ["The attic is wet."]
    assert narrow.call("DELETE", "memories", {"source": "s"}).json()["deleted"] == 1


def test_a_limit_that_is_reached_tells_a_narrow_key_no_count_of_the_tenant(alice: Caller, narrow: Caller) -> None:
    alice.remember("One.", "Two.", "Three.")
    call_command("set_quota", "acme", "memories=1", "jobs=1")
    told = problem(narrow.post("memories", {"items": [{"text": "Four."}]}), 507, "quota_exceeded")
    assert (told["quota"], told["limit"]) == ("memories", 1)
    assert "used" not in told and "3" not in told["detail"] and "stored" not in told["detail"]
    many = {"items": [{"text": f"Item {n}."} for n in range(65)]}
    assert [alice.post("memories", many).status_code for _ in range(2)] == [202, 429]
    call_command("set_quota", "acme", "jobs=0")
    told = problem(narrow.post("memories", many), 429, "too_many_jobs")
    assert (told["quota"], told["limit"]) == ("jobs", 0)
    assert "used" not in told and "1" not in told["detail"]


def test_the_same_text_under_two_narrow_keys_is_two_memories(alice: Caller) -> None:
    for one, other in (
        ({"filters": {"user": "dana"}}, {"filters": {"user": "erin"}}),
        ({"agent": "ada"}, {"agent": "bob"}),
        ({"namespaces": ["a"]}, {"namespaces": ["b"]}),
    ):
        first, second = alice.with_key(**one), alice.with_key(**other)
        text = f"I like tea, says {sorted(one)}."
        (mine,), (theirs,) = first.remember(text), second.remember(text)
        assert mine != theirs
        assert first.found("tea") == second.found("tea") == [text]
        assert first.remember(text) == [mine]


def test_a_bound_filter_is_stamped_and_cannot_be_said_otherwise(alice: Caller) -> None:
    narrow = alice.with_key(filters={"team": "x", "level": 3, "live": True})
    (mine,) = narrow.remember("One.", metadata={"own": 1})
    bound = {"own": 1, "team": "x", "level": 3, "live": True}
    assert alice.get(f"memories/{mine}").json()["metadata"] == bound
    assert narrow.remember("Two.", metadata={"team": "x", "level": 3.0})
    for lie in ({"team": "y"}, {"team": None}, {"level": "3"}, {"live": 1}):
        problem(narrow.post("memories", {"items": [{"text": "Three.", "metadata": lie}]}), 403, "filter_out_of_reach")
    for lie in ({"team": "y"}, {"live": 1}):
        answer = narrow.call("PATCH", f"memories/{mine}", {"metadata": lie})
        problem(answer, 403, "filter_out_of_reach")
    assert narrow.call("PATCH", f"memories/{mine}", {"metadata": {"team": None, "own": None}}).json()["metadata"] == {
        "team": "x",
        "level": 3,
        "live": True,
    }
    assert narrow.found("one", filters={"team": "y"}) == []
    assert narrow.found("one", filters={"or": [{"team": "y"}, {"not": {"team": "x"}}]}) == []


def test_a_memory_that_was_moved_away_is_out_of_reach_with_all_its_past(alice: Caller) -> None:
    narrow = alice.with_key(filters={"team": "x"})
    (moved,) = narrow.remember("The vault code is 1234.", source="s")
    alice.call("PATCH", f"memories/{moved}", {"metadata": {"team": "y"}, "text": "The vault code is 5678."})
    assert narrow.found("vault", include_invalidated=True) == []
    problem(narrow.get(f"memories/{moved}"), 404, "not_found")
    problem(narrow.call("PATCH", f"memories/{moved}", {"text": "Mine."}), 404, "not_found")
    assert narrow.call("DELETE", "memories", {"ids": [moved]}).json()["deleted"] == 0
    assert narrow.call("DELETE", "memories", {"source": "s"}).json()["deleted"] == 0
    assert narrow.post("invalidate", {"ids": [moved]}).json()["invalidated"] == 0
    assert alice.found("vault") == ["The vault code is 5678."]


def test_an_agent_is_stamped_and_cannot_be_another(alice: Caller) -> None:
    narrow = alice.with_key(agent="ada")
    (mine,) = narrow.remember("One.")
    assert alice.get(f"memories/{mine}").json()["agent"] == "ada"
    assert narrow.remember("Two.", agent="ada")
    problem(narrow.post("memories", {"items": [{"text": "x", "agent": "bob"}]}), 403, "agent_out_of_reach")
    problem(narrow.post("memories", {"items": [{"text": "x", "agent": "*"}]}), 403, "agent_out_of_reach")
    alice.remember("Star.", agent="*")
    assert narrow.found("star") != ["Star."]


def test_namespaces_hold_and_a_single_one_is_the_default(alice: Caller) -> None:
    one, two = alice.with_key(namespaces=["attic"]), alice.with_key(namespaces=["attic", "cellar"])
    (mine,) = one.remember("In the attic.")
    assert alice.get(f"memories/{mine}").json()["namespace"] == "attic"
    problem(one.post("memories", {"items": [{"text": "x", "namespace": "cellar"}]}), 403, "namespace_out_of_reach")
    two.remember("In the cellar.", namespace="cellar")
    assert set(two.found("in the")) == {"In the attic.", "In the cellar."}
    assert one.found("in the", namespaces=["attic", "cellar"]) == ["In the attic."]
    assert one.found("in the", namespaces=["cellar"]) == []
    assert one.recall("in", filters={"namespace": "cellar"})["results"] == []


@pytest.mark.parametrize(
    ("namespaces", "home"),
    [(["cellar", "attic"], "cellar"), (["shed", "default"], "default"), (["*"], "default"), (["attic"], "attic")],
)
def test_what_names_no_namespace_goes_to_the_default_or_else_to_the_first(
    alice: Caller, namespaces: list[str], home: str
) -> None:
    key = alice.with_key(namespaces=namespaces)
    (stored,) = key.remember("At home.")
    assert alice.get(f"memories/{stored}").json()["namespace"] == home
    (job,) = [key.post("memories", {"items": [{"text": f"Note {n}."} for n in range(65)]}).json()["job"]]
    assert run_next()
    found = key.get(f"jobs/{job}").json()["result"]["results"][0]["id"]
    assert alice.get(f"memories/{found}").json()["namespace"] == home, "a job stores there too"


def test_one_item_out_of_reach_refuses_the_whole_request(alice: Caller) -> None:
    narrow = alice.with_key(namespaces=["attic", "cellar"])
    items = [{"text": "One.", "namespace": "attic"}, {"text": "Two.", "namespace": "loft"}]
    assert problem(narrow.post("memories", {"items": items}), 403)["detail"].startswith("items[1]: namespace 'loft'")
    assert alice.found("one two") == []
