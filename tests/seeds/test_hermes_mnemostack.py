"""hermes-mnemostack, an agent's client of the seed's HTTP API, unchanged at a running Loci: only its base URL is ours.

The package asks for the whole agent and the whole seed; its remote client needs neither (requirements-clients.lock).
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hermes_mnemostack import cli
from hermes_mnemostack.client import REMOTE_TEXT_CAP, MemoryItem, MnemostackClientError, RecallHit, RemoteClient

from billing.quotas import set_quota
from tenants.authentication import operator_scope
from tenants.services.keys import revoke_key
from tests.cast import Caller, MakeCaller

pytestmark = pytest.mark.committed

SESSION = "hermes/cli/2026-03-20"
# a sentence a line, no two alike, longer than the client sends without `chunk`
MINUTES = "".join(f"Item {number} of the agenda passed without a remark. " for number in range(900))
LONG = MINUTES + "At last the zebra escaped from the zoo."

Connect = Callable[[Caller], RemoteClient]


@pytest.fixture
def connect(live_server: Any) -> Iterator[Connect]:
    """Makes the client of a caller, as an agent's configuration would."""
    opened: list[RemoteClient] = []

    def make(caller: Caller) -> RemoteClient:
        opened.append(RemoteClient(live_server.url + "/api/v1", api_key=caller.key))
        return opened[-1]

    yield make
    for client in opened:
        client.close()


@pytest.fixture
def hermes(connect: Connect, alice: Caller) -> RemoteClient:
    """Alice's agent."""
    return connect(alice)


def turn(text: str, offset: int = 0, role: str = "user") -> MemoryItem:
    """What the agent stores of one side of an exchange."""
    return MemoryItem(
        text=text,
        source=SESSION,
        offset=offset,
        timestamp="2026-03-20T14:30:00.123456+00:00",
        metadata={"hermes_role": role, "hermes_turn": offset // 2},
    )


def texts(hits: list[RecallHit]) -> list[str]:
    return [hit.text for hit in hits]


def offsets(caller: Caller, source: str) -> list[int]:
    """The offsets of what is stored of a source, in order."""
    listed = caller.get(f"memories?source={source.replace('#', '%23')}").json()["items"]
    return sorted(caller.get(f"memories/{item['id']}").json()["offset"] for item in listed)


def test_what_the_agent_remembers_it_recalls_with_all_it_said(hermes: RemoteClient) -> None:
    outcome = hermes.remember([turn("Dana wants her letters by post."), turn("I noted it.", 1, "assistant")])
    assert (outcome.stored, outcome.duplicates, outcome.failed) == (2, 0, 0)
    hit = hermes.recall("how does Dana want her letters?", limit=1)[0]
    assert hit.text == "Dana wants her letters by post."
    assert 0 < hit.score <= 1
    assert hit.sources == ["vector", "bm25"]
    said = {"source": SESSION, "offset": 0, "hermes_role": "user", "hermes_turn": 0}
    assert {name: hit.payload[name] for name in said} == said
    assert hit.payload["timestamp"] == "2026-03-20T14:30:00.123456Z"


def test_a_turn_captured_again_is_a_duplicate(hermes: RemoteClient) -> None:
    exchange = [turn("The deploy moved to Friday."), turn("Friday it is.", 1, "assistant")]
    hermes.remember(exchange)
    again = hermes.remember(exchange)
    assert (again.stored, again.duplicates) == (0, 2)


def test_a_fact_stored_with_tags_is_found_by_them_and_by_metadata(hermes: RemoteClient) -> None:
    fact = MemoryItem("The safe is behind the clock.", "hermes/explicit", tags=["home"], metadata={"room": "hall"})
    hermes.remember([fact, turn("The clock is slow.")])
    assert texts(hermes.recall("clock", filters={"tags": "home"})) == [fact.text]
    assert texts(hermes.recall("clock", filters={"room": "hall"})) == [fact.text]


def test_a_healthy_recall_reports_no_fault(hermes: RemoteClient) -> None:
    hermes.remember([turn("The kettle is on.")])
    outcome = hermes.recall_detailed("kettle", limit=3)
    assert (texts(outcome.hits), outcome.faults) == (["The kettle is on."], [])


def test_a_long_item_is_stored_in_chunks_that_keep_source_and_offsets(hermes: RemoteClient, alice: Caller) -> None:
    assert len(LONG) > REMOTE_TEXT_CAP
    outcome = hermes.remember([turn(LONG), turn("Noted.", 1, "assistant")])
    expected = list(range(0, len(LONG), 800))
    assert (outcome.stored, outcome.failed) == (len(expected) + 1, 0)
    assert offsets(alice, SESSION) == sorted([*expected, 1])
    (hit,) = hermes.recall("which animal ran away from the zoo?", limit=1)
    assert hit.text == LONG[hit.payload["offset"] :][:800]
    assert hit.text.endswith("the zoo.")
    assert (hit.payload["source"], hit.payload["hermes_role"]) == (SESSION, "user")


def test_a_long_item_sent_again_is_all_duplicates(hermes: RemoteClient) -> None:
    stored = hermes.remember([turn(LONG)]).stored
    again = hermes.remember([turn(LONG)])
    assert (again.stored, again.duplicates) == (0, stored)


def test_a_long_item_in_the_middle_of_a_session_has_chunks_of_its_own(hermes: RemoteClient, alice: Caller) -> None:
    hermes.remember([turn("Read this, please."), turn(LONG, 2)])
    assert offsets(alice, SESSION) == [0]
    assert offsets(alice, SESSION + "#o2") == list(range(0, len(LONG), 800))


def test_erasing_a_source_takes_all_chunks_of_a_long_item(hermes: RemoteClient, alice: Caller) -> None:
    stored = hermes.remember([turn(LONG)]).stored
    answer = alice.call("DELETE", "memories", {"source": SESSION}).json()
    assert (answer["deleted"], answer["complete"]) == (stored, True)
    assert hermes.recall("which animal ran away from the zoo?") == []
    assert hermes.remember([turn(LONG)]).stored == stored


def test_retracting_a_source_hides_all_chunks_of_a_long_item(hermes: RemoteClient, alice: Caller) -> None:
    stored = hermes.remember([turn(LONG)]).stored
    assert alice.post("invalidate", {"source": SESSION}).json()["invalidated"] == stored
    assert hermes.recall("which animal ran away from the zoo?") == []


def test_another_tenants_long_item_is_no_duplicate_and_stays(
    hermes: RemoteClient, connect: Connect, charlie: Caller, alice: Caller
) -> None:
    stored = hermes.remember([turn(LONG)]).stored
    assert connect(charlie).remember([turn(LONG)]).stored == stored
    charlie.call("DELETE", "memories", {"source": SESSION})
    assert len(offsets(alice, SESSION)) == stored


def test_what_the_agent_retracts_it_no_longer_recalls_until_it_is_said_again(hermes: RemoteClient) -> None:
    hermes.remember([turn("The code is 4711.")])
    (hit,) = hermes.recall("code")
    assert hermes.invalidate([hit.id]) == 1
    assert hermes.invalidate([hit.id]) == 0
    assert hermes.recall("code") == []
    assert hermes.remember([turn("The code is 4711.")]).stored == 1
    assert [again.id for again in hermes.recall("code")] == [hit.id]


def test_what_the_agent_forgets_is_gone(hermes: RemoteClient, alice: Caller) -> None:
    hermes.remember([turn("The code is 4711.")])
    (hit,) = hermes.recall("code")
    assert hermes.forget([hit.id]) == 1
    assert hermes.forget([hit.id]) == 0
    assert hermes.recall("code") == []
    assert alice.get(f"memories/{hit.id}").status_code == 404


def test_another_tenants_agent_sees_retracts_and_forgets_nothing_of_it(
    hermes: RemoteClient, connect: Connect, charlie: Caller
) -> None:
    hermes.remember([turn("The code is 4711.")])
    (hit,) = hermes.recall("code")
    stranger = connect(charlie)
    assert stranger.recall("code") == []
    assert stranger.invalidate([hit.id]) == stranger.forget([hit.id]) == 0
    assert texts(hermes.recall("code")) == ["The code is 4711."]


def test_an_id_of_the_seeds_store_that_is_a_number_is_passed_over(hermes: RemoteClient) -> None:
    assert hermes.invalidate(["18446744073709551615"]) == hermes.forget(["7"]) == 0


def test_a_faulty_item_fails_the_batch_in_a_way_the_agent_retries_item_by_item(hermes: RemoteClient) -> None:
    with pytest.raises(MnemostackClientError, match=r"400 for /memories: items\[1\]") as raised:
        hermes.remember([turn("This is fine."), MemoryItem("This is not.", source="a|b")])
    # 401, 403 and 429 would make the agent give the batch up
    assert raised.value.status_code == 400
    assert hermes.recall("fine") == []
    assert hermes.remember([turn("This is fine.")]).stored == 1


def test_a_read_key_recalls_and_is_told_that_it_may_not_write(connect: Connect, alice: Caller, bob: Caller) -> None:
    alice.remember("The kettle is on.")
    reader = connect(bob)
    assert texts(reader.recall("kettle")) == ["The kettle is on."]
    for call in (
        lambda: reader.remember([turn("No.")]),
        lambda: reader.invalidate(["7"]),
        lambda: reader.forget(["7"]),
    ):
        with pytest.raises(MnemostackClientError, match="key lacks 'write' scope") as raised:
            call()
        assert raised.value.status_code == 403


def test_a_revoked_key_is_401(hermes: RemoteClient, alice: Caller) -> None:
    revoke_key(operator_scope(alice.tenant, "test"), UUID(alice.scope.actor.id))
    with pytest.raises(MnemostackClientError) as raised:
        hermes.recall("anything")
    assert raised.value.status_code == 401


def test_a_full_quota_is_507(hermes: RemoteClient, alice: Caller) -> None:
    set_quota(operator_scope(alice.tenant, "test"), {"memories": 1})
    with pytest.raises(MnemostackClientError) as raised:
        hermes.remember([turn("One."), turn("Two.", 1)])
    assert raised.value.status_code == 507


@pytest.fixture
def doctor(
    live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], dict[str, Any]]:
    """Runs the client's own diagnosis with a key; what it says of each part."""
    monkeypatch.setenv("MNEMOSTACK_MODE", "remote")
    monkeypatch.setenv("MNEMOSTACK_BASE_URL", live_server.url + "/api/v1")

    def run(key: str) -> dict[str, Any]:
        monkeypatch.setenv("MNEMOSTACK_API_KEY", key)
        cli.main(["doctor", "--json", "--hermes-home", str(tmp_path)])
        return {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}

    return run


def test_the_clients_doctor_finds_service_recall_and_retrieval_well(
    doctor: Callable[[str], dict[str, Any]], bob: Caller
) -> None:
    found = doctor(bob.key)
    parts = ("config", "availability", "service", "recall", "retrieval")
    assert {name: found[name]["status"] for name in parts} == dict.fromkeys(parts, "ok")
    assert "read scope confirmed" in found["recall"]["detail"]


def test_the_clients_doctor_tells_a_wrong_key_from_one_that_may_not_read(
    doctor: Callable[[str], dict[str, Any]], alice: Caller, newcomer: MakeCaller
) -> None:
    assert doctor("loci_sk_wrong")["recall"]["detail"].startswith("401")
    assert doctor(newcomer("initech", ["write"]).key)["recall"]["detail"].startswith("403")
