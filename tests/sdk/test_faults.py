"""When the network or the server fails: what is sent again, what is not, and what one is told."""

import json
from itertools import count, islice
from typing import Any

import httpx
import pytest

from loci_client import (
    AsyncLoci,
    InvalidRequest,
    JobFailed,
    Loci,
    NotConfigured,
    NotReached,
    QuotaExceeded,
    RateLimited,
    Retries,
    ServerFailed,
    TimedOut,
    UnexpectedAnswer,
)
from tests.sdk.speaker import Speaker
from tests.servers.aside import aside
from tests.servers.scripted import (
    Behaviour,
    Request,
    ScriptedServer,
    drop,
    hang,
    not_json,
    redirect,
    says,
    stall,
    status,
    too_many,
)

WRITTEN = {"results": [{"id": "m1", "status": "stored", "item": 0}], "stored": 1, "duplicates": 0, "failed": 0}
NOTHING = {"query": "q", "results": []}


def problem(code: int, word: str, detail: Any = "No.", **more: Any) -> Behaviour:
    """A problem document."""
    return says({"status": code, "code": word, "detail": detail, "request_id": "r-1", **more}, code)


def stored(request: Request) -> Any:
    """Stores whatever it is sent."""
    results = [{"id": f"m{at}", "status": "stored", "item": at} for at in range(len(request.json["items"]))]
    return {"results": results, "stored": len(results), "duplicates": 0, "failed": 0}


@pytest.mark.parametrize(
    "fault",
    [drop(), status(502), status(503), status(504), too_many(), problem(503, "unavailable")],
    ids=lambda fault: str(fault.name),
)
def test_a_write_is_sent_again_under_the_same_key(caller: Speaker, scripted: ScriptedServer, fault: Behaviour) -> None:
    scripted.script(fault, fault, says(WRITTEN))
    assert caller.say("remember", "A note.").ids == ["m1"]
    keys = [request.headers["idempotency-key"] for request in scripted.requests]
    assert len(keys) == 3 and len(set(keys)) == 1
    assert len({request.body for request in scripted.requests}) == 1
    scripted.script(says(WRITTEN))
    caller.say("remember", "A note.")
    assert scripted.requests[0].headers["idempotency-key"] not in keys


def test_a_key_of_ones_own_is_sent(caller: Speaker, scripted: ScriptedServer) -> None:
    scripted.script(says(WRITTEN))
    caller.say("remember", "A note.", idempotency_key="import/1")
    assert scripted.requests[0].headers["idempotency-key"] == "import/1"


def test_a_write_whose_first_try_is_still_under_way_waits_for_it(caller: Speaker, scripted: ScriptedServer) -> None:
    scripted.script(drop(), problem(409, "idempotency_in_flight"), says(WRITTEN))
    assert caller.say("remember", "A note.").stored == 1


def test_it_gives_up_after_so_many_tries(caller: Speaker, scripted: ScriptedServer) -> None:
    scripted.script(*[problem(503, "unavailable", "The database does not answer.")] * 9)
    with pytest.raises(ServerFailed, match="The database does not answer") as failed:
        caller.say("recall", "q")
    assert len(scripted.requests) == 4
    assert (failed.value.status, failed.value.code, failed.value.request_id) == (503, "unavailable", "r-1")


def test_what_is_refused_for_good_is_not_asked_again(caller: Speaker, scripted: ScriptedServer) -> None:
    scripted.script(problem(422, "invalid_request", [], errors=[{"pointer": "/query", "detail": "is missing"}]))
    with pytest.raises(InvalidRequest, match="/query is missing"):
        caller.say("recall", "q")
    scripted.script(problem(507, "quota_exceeded", "The limit is reached."))
    with pytest.raises(QuotaExceeded):
        caller.say("remember", "A note.")
    scripted.script(problem(500, "internal_error"))
    with pytest.raises(ServerFailed):
        caller.say("recall", "q")
    assert len(scripted.requests) == 1


def test_a_correction_is_sent_again_only_if_it_was_not_carried_out(caller: Speaker, scripted: ScriptedServer) -> None:
    scripted.script(drop())
    with pytest.raises(NotReached):
        caller.say("correct", "m1", text="New.")
    scripted.script(status(503))
    with pytest.raises(ServerFailed):
        caller.say("correct", "m1", text="New.")
    scripted.script(too_many(0), problem(404, "not_found"))
    with pytest.raises(Exception, match="404"):
        caller.say("correct", "m1", text="New.")
    assert len(scripted.requests) == 2


def test_it_waits_as_long_as_the_server_asks_but_not_for_ever(scripted: ScriptedServer) -> None:
    patient = Retries(longest_pause=60)
    waited = patient.pause_before(2, RateLimited(status=429, code="c", detail="d", retry_after=7), repeatable=True)
    assert waited is not None and 7 <= waited < 8
    assert (
        patient.pause_before(2, RateLimited(status=429, code="c", detail="d", retry_after=61), repeatable=True) is None
    )
    scripted.script(too_many(3600), says(NOTHING))
    with pytest.raises(RateLimited) as refused:
        Speaker("blocking", scripted.url, "k").say("recall", "q")
    assert refused.value.retry_after == 3600
    assert len(scripted.requests) == 1


def test_pauses_grow_and_differ() -> None:
    retries = Retries(attempts=10, first_pause=1, longest_pause=8)
    error = NotReached("no")
    for attempt, longest in [(2, 1), (3, 2), (4, 4), (5, 8), (6, 8)]:
        pauses = {retries.pause_before(attempt, error, repeatable=True) for _ in range(20)}
        assert all(pause is not None and longest / 2 <= pause <= longest for pause in pauses)
        assert len(pauses) > 1


@pytest.mark.parametrize("fault", [hang(), stall()], ids=lambda fault: str(fault.name))
def test_a_server_that_does_not_end_its_answer_is_a_time_out(
    caller: Speaker, scripted: ScriptedServer, fault: Behaviour
) -> None:
    impatient = Speaker(caller.manner, caller.url, caller.key, Retries(attempts=1), timeout=0.2)
    scripted.script(fault)
    with pytest.raises(TimedOut, match="does not answer in time"):
        impatient.say("recall", "q")


def test_nobody_at_the_address_is_said_so(caller: Speaker) -> None:
    with ScriptedServer() as gone:
        url = gone.url
    with pytest.raises(NotReached, match="cannot be reached") as failed:
        Speaker(caller.manner, url, "k").say("status")
    assert not failed.value.sent


def test_an_answer_that_is_none_of_locis_is_said_so(caller: Speaker, scripted: ScriptedServer) -> None:
    scripted.script(not_json())
    with pytest.raises(UnexpectedAnswer, match="no JSON"):
        caller.say("recall", "q")
    scripted.script(says({"results": "none"}))
    with pytest.raises(UnexpectedAnswer, match="no Recalled"):
        caller.say("recall", "q")
    scripted.script(Behaviour("page", 502, {"Content-Type": "text/html"}, b"<h1>Bad gateway</h1>"))
    with pytest.raises(ServerFailed, match="answered 502"):
        Speaker(caller.manner, caller.url, "k", Retries(attempts=1)).say("recall", "q")


def test_the_key_does_not_follow_a_redirect(caller: Speaker, scripted: ScriptedServer) -> None:
    with ScriptedServer() as elsewhere:
        scripted.script(redirect(elsewhere.url))
        with pytest.raises(UnexpectedAnswer, match="use that address"):
            caller.say("status")
        assert elsewhere.requests == []


def test_fields_of_a_newer_server_are_passed_over_and_can_be_read(caller: Speaker, scripted: ScriptedServer) -> None:
    hit = {"id": "m", "text": "t", "score": 1, "source": None, "retrievers": [], "metadata": {}, "mood": "glad"}
    scripted.script(says({**NOTHING, "results": [hit], "tone": 3}))
    found = caller.say("recall", "q")
    assert found.results[0].score == 1.0
    assert (found.raw["tone"], found.results[0].raw["mood"]) == (3, "glad")


def test_a_job_that_fails_is_told_with_what_it_stored(caller: Speaker, scripted: ScriptedServer) -> None:
    job = {"id": "j", "kind": "remember", "state": "failed", "total": 70, "done": 64, "result": WRITTEN}
    job |= {"error": "the quota is used up", "created_at": "2026-03-20T14:30:00Z"}
    scripted.script(says({"job": "j", "state": "queued", "total": 70}, 202), says(job))
    with pytest.raises(JobFailed, match=r"64 of 70 items: the quota is used up") as failed:
        caller.say("remember_many", ["x"] * 70)
    assert failed.value.job.written and failed.value.job.written.ids == ["m1"]


def test_an_endless_iterable_is_read_a_batch_at_a_time() -> None:
    read = count()
    with ScriptedServer(stored) as server, Loci(server.url, "k") as loci:
        outcomes = loci.ingest((f"Note {n}." for n in read), batch_size=10)
        assert server.requests == []
        assert [outcome.item for outcome in islice(outcomes, 25)] == list(range(25))
        assert [len(request.json["items"]) for request in server.requests] == [10, 10, 10]
        assert next(read) == 30


def test_an_asynchronous_iterable_is_ingested_too() -> None:
    async def notes() -> Any:
        for n in range(25):
            yield f"Note {n}."

    async def story(url: str) -> list[int]:
        async with AsyncLoci(url, "k") as loci:
            return [outcome.item async for outcome in loci.ingest(notes(), batch_size=10)]

    with ScriptedServer(stored) as server:
        assert aside(lambda: story(server.url)) == list(range(25))


def test_a_batch_keeps_to_the_size_of_a_body() -> None:
    with ScriptedServer(stored) as server, Loci(server.url, "k") as loci:
        outcomes = list(loci.ingest({"text": "é" * 1_000_000, "source": "s", "offset": n} for n in range(6)))
        assert len(outcomes) == 6
        assert max(len(request.body) for request in server.requests) < 32 * 2**20
        assert len(server.requests) == 3


def test_a_batch_that_is_too_large_for_a_proxy_is_halved_until_it_fits() -> None:
    def proxied(request: Request) -> Any:
        return stored(request)

    with ScriptedServer(proxied) as server, Loci(server.url, "k") as loci:
        server.script(status(413), status(413))
        outcomes = list(loci.ingest(f"Note {n}." for n in range(8)))
        assert [(outcome.item, outcome.status) for outcome in outcomes] == [(n, "stored") for n in range(8)]
        assert [len(request.json["items"]) for request in server.requests] == [8, 4, 2, 2, 4]


def test_an_http_client_of_ones_own_is_used_and_left_open(scripted: ScriptedServer) -> None:
    scripted.script(says(NOTHING))
    with httpx.Client(headers={"X-Team": "blue"}) as http:
        with Loci(scripted.url, "k", http=http) as loci:
            loci.recall("q")
        assert not http.is_closed
    assert scripted.requests[0].headers["x-team"] == "blue"
    assert scripted.requests[0].headers["authorization"] == "Bearer k"


def test_address_and_key_come_from_arguments_environment_and_file_in_that_order(
    monkeypatch: Any, tmp_path: Any
) -> None:
    with pytest.raises(NotConfigured, match="LOCI_URL"):
        Loci()
    with pytest.raises(NotConfigured, match="no key for http://here"):
        Loci("http://here")
    folder = tmp_path / "config" / "loci"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"url": "http://file/", "api_key": "file-key"}))
    assert Loci().url == "http://file"
    monkeypatch.setenv("LOCI_URL", "http://env/api/v1/")
    with pytest.raises(NotConfigured, match="no key for http://env"):  # the file's key is for the file's address
        Loci()
    monkeypatch.setenv("LOCI_KEY", "env-key")
    assert Loci().url == "http://env"
    assert Loci("https://given").url == "https://given"
    for wrong in ("given", "ftp://given", "https://"):
        with pytest.raises(NotConfigured, match="no address"):
            Loci(wrong, "k")
    with pytest.raises(NotConfigured, match="copied whole"):
        Loci("https://given", "k\nk")
