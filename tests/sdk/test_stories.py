"""The SDK against a running Loci, in both of its ways."""

from datetime import UTC, datetime
from typing import Any

import pytest

from loci_client import Changed, Forbidden, InvalidRequest, JobUnfinished, NotAuthenticated, NotFound, Written
from tests.cast import Caller
from tests.sdk.speaker import Speaker

pytestmark = pytest.mark.committed
FAX = "The fax line on ward 7 is out of order."
DANA = "Dana wants summaries by secure message."


def test_a_memory_is_stored_found_corrected_retracted_restored_and_erased(speaker: Speaker) -> None:
    when = datetime(2026, 3, 20, 14, 30, tzinfo=UTC)
    written = speaker.say("remember", FAX, source="ward-7", timestamp=when, tags=["fax"], metadata={"ward": 7})
    assert (written.stored, written.results[0].status) == (1, "stored")
    (memory_id,) = written.ids
    assert speaker.say("remember", FAX, source="ward-7").duplicates == 1

    found = speaker.say("recall", "fax on ward 7", filters={"ward": 7}, include_trace=True)
    assert [(hit.id, hit.text, hit.source) for hit in found.results] == [(memory_id, FAX, "ward-7")]
    assert found.results[0].explanation and found.trace

    hit = found.results[0]
    learned = speaker.say("feedback", hit.id, "useful", query="fax on ward 7", sources=hit.retrievers)
    assert (learned.reward, learned.q_learning_updates) == (1.0, len(hit.retrievers))
    with pytest.raises(NotFound):
        speaker.say("feedback", "elsewhere", "useful")

    memory = speaker.say("get", memory_id)
    assert (memory.timestamp, memory.tags, memory.metadata) == (when, ("fax",), {"ward": 7})
    corrected = speaker.say(
        "correct", memory_id, text="The fax works.", metadata={"ward": None}, if_match=memory.version
    )
    assert (corrected.id, corrected.text, corrected.metadata) == (memory_id, "The fax works.", {})
    with pytest.raises(Changed) as refused:
        speaker.say("correct", memory_id, tags=[], if_match=memory.version)
    assert refused.value.current_version == corrected.version

    assert speaker.say("forget", ids=[memory_id]) == 1
    assert speaker.say("recall", "fax").results == ()
    assert speaker.say("remember", FAX, source="ward-7").stored == 1
    assert speaker.say("erase", source="ward-7") == 1
    with pytest.raises(NotFound):
        speaker.say("get", memory_id)


def test_more_than_64_items_are_a_job_that_is_waited_for(speaker: Speaker, worker: None) -> None:
    written = speaker.say("remember_many", [f"Note {n}." for n in range(70)])
    assert isinstance(written, Written)
    assert [outcome.item for outcome in written.results] == list(range(70))
    assert written.stored == 70


def test_a_job_that_takes_too_long_is_told_with_how_far_it_is(speaker: Speaker) -> None:
    with pytest.raises(JobUnfinished) as unfinished:
        speaker.say("remember_many", [f"Note {n}." for n in range(70)], wait=0)
    assert (unfinished.value.job.state, unfinished.value.job.total) == ("queued", 70)
    (job,) = speaker.say("jobs", page_size=1)
    assert job.id == unfinished.value.job.id


def test_lists_go_through_all_pages(speaker: Speaker) -> None:
    ids = speaker.say("remember_many", [{"text": f"Note {n}.", "source": "notes", "offset": n} for n in range(5)]).ids
    listed = speaker.say("memories", "notes", page_size=2)
    assert [memory.id for memory in listed] == sorted(ids)
    assert speaker.say("memories", "elsewhere") == []
    for n in range(3):
        speaker.say("submit", [f"{n} {m}" for m in range(65)])
    assert len(speaker.say("jobs", page_size=2)) == 3


def test_forgetting_and_erasing_many_go_on_until_all_are_done(speaker: Speaker, alice: Caller) -> None:
    ids = [
        outcome.id for outcome in speaker.ingest({"text": f"Note {n}.", "source": "s", "offset": n} for n in range(300))
    ]
    assert speaker.say("forget", ids=ids) == 300
    assert alice.found("note") == []
    assert speaker.say("erase", ids=ids) == 300


def test_ingesting_tells_what_became_of_each_item_in_order_and_goes_on_after_a_bad_one(speaker: Speaker) -> None:
    items: list[Any] = [f"Note {n}." for n in range(130)]
    items[3] = {"text": "   "}
    items[70] = {"text": "A note.", "metadata": {"_hidden": 1}}
    items[71] = {"text": "A note.", "kind": "nonsense"}
    outcomes = speaker.ingest(items)
    assert [outcome.item for outcome in outcomes] == list(range(130))
    failed = {outcome.item: outcome.reason for outcome in outcomes if outcome.status == "failed"}
    assert failed.keys() == {3, 70, 71}
    assert failed[3] == "text is blank" and "reserved" in failed[70] and failed[71].startswith("kind ")
    assert sum(outcome.status == "stored" for outcome in outcomes) == 127
    assert {outcome.status for outcome in speaker.ingest(items)} == {"duplicate", "failed"}


def test_a_long_item_that_is_cut_has_an_outcome_for_each_window(speaker: Speaker) -> None:
    long = [{"text": "word " * 16_000, "chunk": True, "source": name} for name in ("one", "two")]
    outcomes = speaker.ingest(["before", *long, "after"])
    assert [outcome.item for outcome in outcomes] == [0, *[1] * 100, *[2] * 100, 3]
    assert {outcome.status for outcome in outcomes} == {"stored"}


def test_ingesting_by_jobs_waits_for_them_or_says_queued(speaker: Speaker, worker: None) -> None:
    outcomes = speaker.ingest((f"Note {n}." for n in range(150)), batch_size=100)
    assert [(outcome.item, outcome.status) for outcome in outcomes] == [(n, "stored") for n in range(150)]
    queued = speaker.ingest((f"Later note {n}." for n in range(70)), batch_size=100, wait=0)
    assert [(outcome.item, outcome.status, outcome.id) for outcome in queued] == [
        (n, "queued", None) for n in range(70)
    ]


def test_a_context_block_cites_ids_and_is_empty_when_nothing_is_found(speaker: Speaker) -> None:
    assert speaker.say("context_block", "Dana") == ""
    (memory_id,) = speaker.say("remember", DANA, source="ward-7").ids
    block = speaker.say("context_block", "how does Dana want summaries?", token_budget=200)
    assert f"[memory:{memory_id}] · source: ward-7\n```text\n{DANA}\n```" in block
    assert speaker.say("context_block", "Dana", token_budget=20) == ""


def test_what_is_refused_says_why(speaker: Speaker, bob: Caller) -> None:
    with pytest.raises(NotAuthenticated) as unknown:
        Speaker(speaker.manner, speaker.url, "loci_sk_wrong").say("status")
    assert (unknown.value.status, unknown.value.code) == (401, "invalid_key") and unknown.value.request_id
    with pytest.raises(Forbidden, match="write"):
        Speaker(speaker.manner, speaker.url, bob.key).say("remember", FAX)
    with pytest.raises(InvalidRequest) as invalid:
        speaker.say("recall", "fax", filters={"ward": {"above": 8}})
    assert invalid.value.errors[0].pointer == "/filters/ward"
    assert invalid.value.detail.startswith("/filters/ward ward: 'above' is no operator")


def test_a_models_call_of_a_tool_is_passed_on(speaker: Speaker) -> None:
    declared = speaker.say("tools", provider="anthropic")
    assert {"memory_search", "memory_remember"} <= {tool["name"] for tool in declared}
    speaker.say("call_tool", "memory_remember", {"text": FAX})
    assert FAX in str(speaker.say("call_tool", "memory_search", {"query": "fax"}))
    with pytest.raises(NotFound):
        speaker.say("call_tool", "memory_nonsense")


def test_status_and_health_tell_how_the_server_stands(speaker: Speaker) -> None:
    speaker.say("remember", FAX)
    assert speaker.say("status").tenant.memories == 1
    assert speaker.say("health").status in ("ok", "degraded")
    assert speaker.say("health").raw["qdrant"] is True


def test_settings_are_read_and_changed(speaker: Speaker, alice: Caller) -> None:
    admin = Speaker(speaker.manner, speaker.url, alice.with_key(["admin"]).key)
    before = admin.say("settings")
    assert (before.version, before.chosen, before.llm["source"]) == (0, (), "none")
    after = admin.say("change_settings", recall={"fusion": "rrf", "smoothing": None}, dates=None, expected_version=0)
    assert (after.version, after.recall["fusion"], after.chosen) == (1, "rrf", ("recall.fusion",))
    assert after.changed_at is not None
    with pytest.raises(Changed) as refused:
        admin.say("change_settings", recall=None, expected_version=0)
    assert refused.value.current_version == "1"
    assert admin.say("change_settings", recall=None).chosen == ()
    with pytest.raises(Forbidden):
        speaker.say("settings")
