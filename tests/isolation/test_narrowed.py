"""Keys of one tenant that are narrowed: what lies out of their reach is as if it were not there."""

from typing import Any
from uuid import UUID

import pytest

from memory.services.correct import restore
from tests.cast import Caller
from tests.isolation.door import send

TEXT = "The secret word is plum."


@pytest.fixture(autouse=True)
def no_rate(settings: Any) -> None:
    """Without a rate no answer says how much of it is left, which differs from one to the next."""
    settings.DEFAULT_QUOTAS = {}


@pytest.fixture
def apollo(alice: Caller) -> Caller:
    """A key of acme that is bound to one project."""
    return alice.with_key(filters={"project": "apollo"})


@pytest.fixture
def zeus(alice: Caller) -> Caller:
    """A key of acme that is bound to another."""
    return alice.with_key(filters={"project": "zeus"})


@pytest.fixture
def strayed(alice: Caller, apollo: Caller) -> str:
    """A memory that a bound key wrote, and that was then corrected out of its reach."""
    (memory,) = apollo.remember(TEXT, tags=["open"])
    change = {"text": "The new word is pear.", "metadata": {"project": "zeus"}, "tags": ["hidden"]}
    assert alice.call("PATCH", f"memories/{memory}", change).status_code == 200
    return memory


def _seen(caller: Caller, memory: str) -> Any:
    return caller.get(f"memories/{memory}").json()


def test_the_same_text_by_two_bound_keys_is_two_memories(alice: Caller, apollo: Caller, zeus: Caller) -> None:
    (plain,), (first,), (second,) = alice.remember(TEXT), apollo.remember(TEXT), zeus.remember(TEXT)
    assert len({plain, first, second}) == 3
    before = _seen(zeus, second), _seen(alice, plain)
    answer = apollo.post("memories", {"items": [{"text": TEXT, "metadata": {"more": 1}, "tags": ["new"]}]}).json()
    assert (answer["results"][0]["id"], answer["results"][0]["status"]) == (first, "updated")
    assert (_seen(zeus, second), _seen(alice, plain)) == before
    assert apollo.found("secret word") == zeus.found("secret word") == [TEXT]


def test_a_write_says_nothing_about_what_is_out_of_reach(apollo: Caller, zeus: Caller) -> None:
    (stored,) = zeus.post("memories", {"items": [{"text": TEXT}]}).json()["results"]
    (again,) = apollo.post("memories", {"items": [{"text": TEXT}]}).json()["results"]
    assert (stored["status"], again["status"]) == ("stored", "stored")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "memories/ID", None),
        ("PATCH", "memories/ID", {"tags": ["x"]}),
        ("PATCH", "memories/ID", {"metadata": {"project": "apollo"}}),
        ("DELETE", "memories", {"ids": ["ID"]}),
        ("POST", "invalidate", {"ids": ["ID"]}),
    ],
)
def test_what_left_a_keys_reach_is_as_if_it_were_not_there(
    alice: Caller, apollo: Caller, strayed: str, method: str, path: str, body: Any
) -> None:
    before = _seen(alice, strayed)
    unknown = "0" * 8 + strayed[8:]

    def ask(memory: str) -> object:
        given = {**body, "ids": [memory]} if body and "ids" in body else body
        return send(apollo.key, method, path.replace("ID", memory), given)

    assert ask(strayed) == ask(unknown)
    assert _seen(alice, strayed) == before


@pytest.mark.parametrize("retracted", [False, True])
def test_content_sent_again_does_not_touch_what_left_the_keys_reach(
    alice: Caller, apollo: Caller, strayed: str, retracted: bool
) -> None:
    if retracted:
        alice.post("invalidate", {"ids": [strayed]})
    before = _seen(alice, strayed)
    (result,) = apollo.post("memories", {"items": [{"text": TEXT}]}).json()["results"]
    assert apollo.get(f"memories/{result['id']}").status_code == 200, "what a key wrote it can read"
    assert "hidden" not in _seen(apollo, result["id"])["tags"]
    assert _seen(alice, strayed) == before


def test_a_key_cannot_widen_itself(alice: Caller, apollo: Caller) -> None:
    narrow = alice.with_key(namespaces=["red"])
    (memory,) = apollo.remember(TEXT)
    assert apollo.call("PATCH", f"memories/{memory}", {"metadata": {"project": "zeus"}}).status_code == 403
    assert apollo.post("memories", {"items": [{"text": "x", "metadata": {"project": "zeus"}}]}).status_code == 403
    assert narrow.post("memories", {"items": [{"text": "x", "namespace": "blue"}]}).status_code == 403
    assert narrow.found("x", namespaces=["blue", "default"]) == []
    assert _seen(apollo, memory)["metadata"] == {"project": "apollo"}


def test_one_item_out_of_reach_refuses_the_whole_request(alice: Caller) -> None:
    narrow = alice.with_key(namespaces=["red"])
    items = [{"text": "In reach."}, {"text": "Out of reach.", "namespace": "blue"}]
    answer = narrow.post("memories", {"items": items})
    assert (answer.status_code, answer.json()["detail"][:8]) == (403, "items[1]")
    assert alice.found("reach") == []


def test_restoring_in_the_console_erases_no_other_memory(alice: Caller, apollo: Caller) -> None:
    (bound,), (plain,) = apollo.remember(TEXT), alice.remember(TEXT, tags=["precious"])
    alice.post("invalidate", {"ids": [bound, plain]})
    restore(alice.scope, UUID(bound))
    assert alice.get(f"memories/{bound}").json()["known_to"] is None
    assert alice.get(f"memories/{plain}").status_code == 200


def test_status_does_not_count_what_other_tenants_do(alice: Caller, charlie: Caller) -> None:
    before = alice.get("status").json()
    charlie.recall("anything")
    assert alice.get("status").json() == before
