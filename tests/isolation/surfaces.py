"""Every surface that a key can reach, and how an answer there is judged. The prober fails for an address that asks for
a key and is not visited here."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from hypothesis import strategies as st

from tenants.rls import tenant_rows
from tests.isolation import strategies as draws
from tests.isolation.door import Answer
from tests.isolation.model import Look
from tests.isolation.rows import fingerprints, ids_of
from tests.isolation.world import Holder, World, write

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Probe:
    """Visits of one holder: `ids` and `prints` are the other tenant's, as they were before the first visit."""

    world: World
    holder: Holder
    draw: Draw
    ids: frozenset[str]
    prints: Mapping[str, Any]

    @classmethod
    def by(cls, world: World, holder: Holder, draw: Draw) -> "Probe":
        """A probe that remembers how the other tenant stands now."""
        return cls(world, holder, draw, frozenset(ids_of(holder.other_tenant)), fingerprints(holder.other_tenant))

    def own(self) -> str:
        """An id of the holder's tenant."""
        return self.draw(st.sampled_from(list(self.holder.place.memories)))

    def foreign(self) -> str:
        """An id of the other tenant."""
        return self.draw(st.sampled_from(list(self.holder.other.memories)))

    def tells_nothing(self, answer: Answer) -> None:
        """Fails for an answer in which an id or the canary of the other tenant stands."""
        told = answer.body.decode()
        told = told.replace(json.dumps(answer.json.get("query"))[1:-1], "") if '"query"' in told else told
        leaked = [one for one in self.ids if one in told]
        assert not leaked and self.holder.other_tenant.hex not in told, (self.holder.shape.name, leaked, told)

    def judge(self, answer: Answer, right: str) -> bool:
        """Whether the credential let the request through; that it says nothing of the other tenant either way."""
        self.tells_nothing(answer)
        barred = self.holder.barred(right)
        if barred is None:
            assert answer.status not in (401, 403), answer.body
            return True
        assert (answer.status, answer.code) == barred, (self.holder.shape.name, answer.body)
        if answer.status == 403:
            assert answer.json["detail"] == f"key lacks '{right}' scope"
        return False

    def twins(self, method: str, path: str, body: Any = None, *, foreign: str, unknown: str) -> Answer:
        """The answer for something foreign, which must equal that for something unknown, byte for byte; and the other
        tenant's rows are as they were."""
        there, nowhere = (
            self.holder.send(method, path.replace("ID", one), _filled(body, one)) for one in (foreign, unknown)
        )
        assert there == nowhere, (self.holder.shape.name, there, nowhere)
        if method != "GET":
            self.changes_nothing()
        return there

    def changes_nothing(self) -> None:
        """Fails when a row of the other tenant is not as it was."""
        assert fingerprints(self.holder.other_tenant) == self.prints, self.holder.shape.name


def _filled(body: Any, value: str) -> Any:
    if isinstance(body, dict):
        return {name: _filled(inner, value) for name, inner in body.items()}
    if isinstance(body, list):
        return [_filled(inner, value) for inner in body]
    return value if body == "ID" else body


def recall_by_words(probe: Probe) -> None:
    """In the modes of words alone nothing but what the holder sees comes, and no word of another is read for one."""
    draw, holder = probe.draw, probe.holder
    mode = draw(st.sampled_from(["natural", "raw", "exact", "keyword", "fuzzy"]))
    said = draw(st.sampled_from([*draws.TEXTS, "canary", "canray", f"Canary {holder.other_tenant.hex}"]))
    said = "canar*" if mode == "raw" else said
    look = Look(None, draw(st.booleans()))
    body = {"query": said, "mode": mode, "limit": 100, "include_trace": True}
    body |= {"include_invalidated": True} if look.include_invalidated else {}
    answer = holder.send("POST", "recall", body)
    if not probe.judge(answer, "read"):
        return
    assert answer.status == 200, answer.body
    expected = holder.place.visible(holder.shape, look, {})
    assert {result["id"] for result in answer.json["results"]} <= set(expected)
    texts = " ".join(fact.text for fact in expected.values()).casefold()
    for words in answer.json["trace"]["read_as"].values():
        assert all(word in texts for word in words)


def recall(probe: Probe) -> None:
    draw, holder = probe.draw, probe.holder
    ids = (probe.own(), probe.foreign(), str(uuid4()))
    query = draw(draws.filters(ids))
    look = Look(draw(st.sampled_from([None, None, *draws.MOMENTS, "2050-01-01"])), draw(st.booleans()))
    namespaces = draw(st.sampled_from([None, None, [], ["red"], ["default", "blue"]]))
    said = draw(st.sampled_from([*draws.TEXTS, f"Canary {holder.other_tenant.hex}"]))
    body = {"query": said, "limit": 100, "include_trace": draw(st.booleans()), "filters": query}
    body |= {"as_of": look.as_of} if look.as_of else {}
    body |= {"include_invalidated": True} if look.include_invalidated else {}
    body |= {"namespaces": namespaces} if namespaces is not None else {}
    answer = holder.send("POST", "recall", body)
    if not probe.judge(answer, "read"):
        return
    assert answer.status == 200, answer.body
    expected = holder.place.visible(holder.shape, look, query)
    if namespaces is not None:
        expected = {memory: fact for memory, fact in expected.items() if fact.namespace in namespaces}
    found = {result["id"]: result for result in answer.json["results"]}
    extra, missing = found.keys() - expected.keys(), expected.keys() - found.keys()
    assert not extra and not missing, (holder.shape.name, body, f"{extra=} {missing=}")
    for memory, fact in expected.items():
        own = {key: value for key, value in fact.metadata.items() if key != "valid_from"}  # a built-in field wins there
        shown = {key: found[memory]["metadata"].get(key) for key in own}
        assert (found[memory]["text"], shown) == (fact.text, own)
    unknown = holder.place.unknown_keys(holder.shape, draws.metadata_keys(query))
    empty = sorted(draws.empty_ranges(query))
    assert answer.json["notes"] == [f"filter:unknown_key:{key}" for key in unknown] + [
        f"filter:empty_range:{name}" for name in empty
    ]
    assert answer.json["degraded"] == []
    if trace := answer.json["trace"]:
        traced = {one for arm in trace["retrievers"] for one, _ in arm["ranked"]} | {one for one, _ in trace["fused"]}
        assert traced == set(expected)


def listing(probe: Probe) -> None:
    source, limit = probe.draw(st.sampled_from(draws.SOURCES[1:])), probe.draw(st.sampled_from([1, 3, 500]))
    after, listed = "", []
    while True:
        answer = probe.holder.send("GET", f"memories?source={source}&limit={limit}{after}")
        if not probe.judge(answer, "read"):
            return
        listed += [item["id"] for item in answer.json["items"]]
        if answer.json["complete"]:
            break
        after = f"&after={listed[-1]}"
    assert listed == probe.holder.place.listed(probe.holder.shape, source)


def list_foreign_source(probe: Probe) -> None:
    probe.judge(probe.twins("GET", "memories?source=ID", foreign=_canary(probe), unknown="canary-of-nobody"), "read")


def _canary(probe: Probe) -> str:
    return f"canary-{probe.holder.other_tenant.hex}"


def get_own(probe: Probe) -> None:
    memory = probe.own()
    answer = probe.holder.send("GET", f"memories/{memory}")
    if not probe.judge(answer, "read"):
        return
    fact = probe.holder.place.newest(probe.holder.shape, memory)
    if fact is None:
        assert answer == probe.holder.send("GET", f"memories/{uuid4()}"), "out of reach is as if it were not there"
        return
    expected = {"id": memory, "text": fact.text, "metadata": fact.metadata, "tags": fact.tags, "agent": fact.agent}
    assert {name: answer.json[name] for name in expected} == expected
    assert (answer.json["invalidated_at"] is not None) == fact.retracted


def get_foreign(probe: Probe) -> None:
    answer = probe.twins("GET", "memories/ID", foreign=probe.foreign(), unknown=str(uuid4()))
    assert not probe.judge(answer, "read") or answer.status == 404


def why_own(probe: Probe) -> None:
    memory, query = probe.own(), {"query": probe.draw(st.sampled_from(draws.TEXTS)), "limit": 100}
    answer = probe.holder.send("POST", "recall/why", {**query, "memory_id": memory})
    if not probe.judge(answer, "read"):
        return
    fact = probe.holder.place.newest(probe.holder.shape, memory)
    if fact is None:
        assert answer.status == 404, "out of reach is as if it were not there"
        return
    seen = memory in probe.holder.place.visible(probe.holder.shape, Look(None, False), {})
    assert answer.json["verdict"] == ("returned" if seen else "other_time")


def why_foreign(probe: Probe) -> None:
    body = {"query": "tea", "memory_id": "ID"}
    answer = probe.twins("POST", "recall/why", body, foreign=probe.foreign(), unknown=str(uuid4()))
    assert not probe.judge(answer, "read") or answer.status == 404


def jobs(probe: Probe) -> None:
    answer = probe.holder.send("GET", "jobs?limit=200")
    if probe.judge(answer, "read"):
        assert {job["id"] for job in answer.json["items"]} == _jobs_of(probe.holder)


def _jobs_of(holder: Holder) -> set[str]:
    every = "admin" in holder.shape.scopes and holder.shape.whole
    return {job for job, owner in holder.place.jobs.items() if every or owner == holder.key}


def job_own(probe: Probe) -> None:
    job = probe.draw(st.sampled_from(list(probe.holder.place.jobs)))
    answer = probe.holder.send("GET", f"jobs/{job}")
    if probe.judge(answer, "read"):
        assert answer.status == (200 if job in _jobs_of(probe.holder) else 404)


def job_foreign(probe: Probe) -> None:
    foreign = probe.draw(st.sampled_from(list(probe.holder.other.jobs)))
    answer = probe.twins("GET", "jobs/ID", foreign=foreign, unknown=str(uuid4()))
    assert not probe.judge(answer, "read") or answer.status == 404


def status(probe: Probe) -> None:
    answer = probe.holder.send("GET", "status")
    if probe.judge(answer, "read"):
        whole = probe.holder.shape.whole
        expected = {
            "memories": len(probe.holder.place.memories) if whole else None,
            "memories_limit": None,
            "index_pending": 0 if whole else None,
            "index_lag_seconds": 0.0 if whole else None,
        }
        assert answer.json["tenant"] == expected


def settings(probe: Probe) -> None:
    """One's own settings, which nobody has changed."""
    answer = probe.holder.send("GET", "settings")
    if probe.judge(answer, "admin"):
        assert (answer.status, answer.json["chosen"]) == (200, []), answer.body


def change_settings(probe: Probe) -> None:
    """A change that is refused, by a holder who may and by one who may not."""
    answer = probe.holder.send("PATCH", "settings", {"llm": {"model": _canary(probe)}})
    if probe.judge(answer, "admin"):
        assert answer.status == (422 if probe.holder.shape.whole else 403)
    probe.changes_nothing()


def erase_foreign(probe: Probe) -> None:
    answer = probe.twins("DELETE", "memories", {"ids": ["ID"]}, foreign=probe.foreign(), unknown=str(uuid4()))
    assert not probe.judge(answer, "write") or answer.json == {"requested": 1, "deleted": 0, "complete": True}


def erase_foreign_source(probe: Probe) -> None:
    answer = probe.twins("DELETE", "memories", {"source": "ID"}, foreign=_canary(probe), unknown="canary-of-nobody")
    assert not probe.judge(answer, "write") or answer.json == {"requested": 0, "deleted": 0, "complete": True}


def invalidate_foreign(probe: Probe) -> None:
    body = {"ids": ["ID"], **probe.draw(st.sampled_from([{}, {"valid_until": "2001-01-01"}]))}
    answer = probe.twins("POST", "invalidate", body, foreign=probe.foreign(), unknown=str(uuid4()))
    assert not probe.judge(answer, "write") or answer.json == {"requested": 1, "invalidated": 0, "complete": True}


def invalidate_foreign_source(probe: Probe) -> None:
    answer = probe.twins("POST", "invalidate", {"source": "ID"}, foreign=_canary(probe), unknown="canary-of-nobody")
    assert not probe.judge(answer, "write") or answer.json == {"requested": 0, "invalidated": 0, "complete": True}


def correct_foreign(probe: Probe) -> None:
    change = probe.draw(draws.changes)
    answer = probe.twins("PATCH", "memories/ID", change, foreign=probe.foreign(), unknown=str(uuid4()))
    assert not probe.judge(answer, "write") or answer.status == 404


def write_same_content(probe: Probe) -> None:
    """The content of a memory of the other tenant, under an Idempotency-Key that everybody uses."""
    holder = probe.holder
    memory = holder.other.memories[probe.foreign()][-1]
    item = {"text": memory.text, "source": memory.source, "offset": memory.offset, "namespace": memory.namespace}
    fitted = holder.place.fitted(holder.shape, item)
    if memory.source.startswith("canary-") or (fitted and holder.place.strayed(holder.shape, fitted)):
        item = {"text": f"Nobody knows {uuid4().hex}."}
    answer = write(holder, item, Idempotency_Key=f"sweep-{probe.world.sweeps}")
    assert "Idempotency-Replayed" not in answer.headers
    probe.tells_nothing(answer)
    probe.changes_nothing()


def feedback_foreign(probe: Probe) -> None:
    body = {"hit_id": "ID", "signal": probe.draw(st.sampled_from(["useful", "clicked", "irrelevant"]))}
    body |= {"query": "tea", "sources": ["dense"]}  # type: ignore[dict-item]
    answer = probe.twins("POST", "feedback", body, foreign=probe.foreign(), unknown=str(uuid4()))
    assert not probe.judge(answer, "write") or answer.status == 404


def feedback_own(probe: Probe) -> None:
    memory = probe.own()
    answer = probe.holder.send("POST", "feedback", {"hit_id": memory, "signal": "clicked", "sources": ["dense"]})
    if probe.judge(answer, "write"):
        within = probe.holder.place.newest(probe.holder.shape, memory) is not None
        assert answer.status == (200 if within else 404), answer.body
        probe.changes_nothing()


def golden_add(probe: Probe) -> None:
    memory = probe.own()
    body = {"questions": [{"question": "What is known?", "expect": [memory]}]}
    answer = probe.holder.send("POST", "golden-questions", body)
    if probe.judge(answer, "write"):
        within = probe.holder.place.newest(probe.holder.shape, memory) is not None
        assert answer.status == (200 if within else 404), answer.body
        probe.changes_nothing()


def golden_expect_foreign(probe: Probe) -> None:
    body = {"questions": [{"question": "What is known?", "expect": ["ID"]}]}
    answer = probe.twins("POST", "golden-questions", body, foreign=probe.foreign(), unknown=str(uuid4()))
    assert not probe.judge(answer, "write") or answer.status == 404


def golden_list(probe: Probe) -> None:
    answer = probe.holder.send("GET", "golden-questions?limit=200")
    if probe.judge(answer, "read"):
        shape, place = probe.holder.shape, probe.holder.place
        expected = {memory for one in answer.json["items"] for memory in one["expected"]}
        assert shape.whole or all(place.newest(shape, memory) for memory in expected)


def golden_remove_foreign(probe: Probe) -> None:
    foreign = _foreign_row(probe, "memory_goldenquestion")
    answer = probe.twins("DELETE", "golden-questions", {"ids": ["ID"]}, foreign=foreign, unknown=str(uuid4()))
    assert not probe.judge(answer, "write") or answer.json == {"requested": 1, "deleted": 0}


def golden_run(probe: Probe) -> None:
    answer = probe.holder.send("POST", "golden-runs", {})
    # it is told what a recall would be, and kept
    asks_for = "read" if answer.code == "insufficient_scope" and not probe.holder.barred("write") else "write"
    if probe.judge(answer, asks_for):
        assert answer.status == 200 or answer.code == "no_questions", answer.body
        probe.changes_nothing()


def golden_runs(probe: Probe) -> None:
    answer = probe.holder.send("GET", "golden-runs")
    if probe.judge(answer, "read"):
        assert answer.status == 200


def golden_run_foreign(probe: Probe) -> None:
    foreign = _foreign_row(probe, "memory_goldenrun")
    answer = probe.twins("GET", "golden-runs/ID", foreign=foreign, unknown=str(uuid4()))
    assert not probe.judge(answer, "read") or answer.status == 404


def _foreign_row(probe: Probe, table: str) -> str:
    """The id of a row of the other tenant; an unknown one while it has none."""
    with tenant_rows(probe.holder.other_tenant) as cursor:
        cursor.execute(f"SELECT id FROM {table} WHERE tenant_id = %s LIMIT 1", [probe.holder.other_tenant])
        row = cursor.fetchone()
    return str(row[0] if row else uuid4())


def tools(probe: Probe) -> None:
    answer = probe.holder.send("GET", "tools?format=openai")
    if probe.judge(answer, "read"):
        names = {tool["function"]["name"] for tool in answer.json["tools"]}
        assert "memory_search" in names
        assert ("memory_erase" in names) == (probe.holder.barred("write") is None)


def tool_search(probe: Probe) -> None:
    """The same as a recall, in the form of a tool."""
    draw, holder = probe.draw, probe.holder
    query = draw(draws.filters((probe.own(), probe.foreign(), str(uuid4()))))
    said = draw(st.sampled_from([*draws.TEXTS, f"Canary {holder.other_tenant.hex}"]))
    tool = draw(st.sampled_from(["memory_search", "memory_context"]))
    body = {"query": said, "limit": 100, "filters": query, "token_budget": 100_000}
    answer = holder.send("POST", f"tools/{tool}", body)
    if probe.judge(answer, "read"):
        found = answer.json["results" if tool == "memory_search" else "memories"]
        assert {hit["id"] for hit in found} == set(holder.place.visible(holder.shape, Look(None, False), query))


def tool_foreign(probe: Probe) -> None:
    """Every tool that takes ids or a source, given another tenant's."""
    tool, body, right = probe.draw(st.sampled_from(_TOOLS))
    foreign, unknown = (_canary(probe), "canary-of-nobody") if "source" in body else (probe.foreign(), str(uuid4()))
    probe.judge(probe.twins("POST", f"tools/{tool}", body, foreign=foreign, unknown=unknown), right)


_TOOLS: list[tuple[str, dict[str, Any], str]] = [
    ("memory_get", {"id": "ID"}, "read"),
    ("memory_list", {"source": "ID"}, "read"),
    ("memory_why", {"query": "tea", "memory_id": "ID"}, "read"),
    ("memory_job", {"id": "ID"}, "read"),
    ("memory_update", {"id": "ID", "text": "Changed."}, "write"),
    ("memory_forget", {"ids": ["ID"]}, "write"),
    ("memory_forget", {"source": "ID"}, "write"),
    ("memory_erase", {"ids": ["ID"], "confirm": True}, "write"),
    ("memory_erase", {"source": "ID", "confirm": True}, "write"),
    ("memory_feedback", {"hit_id": "ID", "signal": "clicked", "sources": ["dense"]}, "write"),
    ("mnemostack_invalidate", {"ids": ["ID"]}, "write"),
]

SURFACES: Mapping[str, Callable[[Probe], None]] = {
    each.__name__: each
    for each in (
        recall, recall_by_words, listing, list_foreign_source, get_own, get_foreign, why_own,
        why_foreign, jobs, job_own, job_foreign, status, settings,
        change_settings, erase_foreign, erase_foreign_source, invalidate_foreign, invalidate_foreign_source,
        correct_foreign, write_same_content, feedback_foreign, feedback_own, golden_add, golden_expect_foreign,
        golden_list, golden_remove_foreign, golden_run, golden_runs, golden_run_foreign, tools, tool_search,
        tool_foreign,
    )
}  # fmt: skip
