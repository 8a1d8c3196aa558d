"""Situations in which each statement matters: requests at the door, and calls with the neighbour's ids right behind it,
as a door or a service with a fault would make them."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from time import monotonic
from typing import Any
from uuid import UUID

import numpy

from billing import quotas
from memory.engine.filters import parse_filters
from memory.engine.lexis import Near, plan
from memory.engine.stages.learned import LEARNED
from memory.engine.text import analyse
from memory.engine.types import Search, View
from memory.models import Job
from memory.services import indexing, jobs, lookup, reindex, survey
from memory.services.browse import browse
from memory.services.overview import overview
from memory.services.recall import recall
from memory.stores.embedders import configured
from memory.stores.postgres import corpus, golden, learning, outbox, reasons, records, terms, vectors, words, writer
from memory.stores.postgres.lexical import PostgresWords
from memory.stores.postgres.reader import PostgresReader
from memory.stores.postgres.temporal import PostgresTimes
from tenants import authentication, idempotency
from tenants.authentication import operator_scope
from tenants.models import User
from tenants.rls import tenant_rows
from tenants.scope import Role, Scope
from tenants.services.activity import _names, list_activity
from tenants.services.keys import Place, get_key, list_keys, page_of_keys, revoke_key
from tenants.services.tenants import add_member, tenant_secret
from tests.isolation.door import send
from tests.isolation.stage import FIELDS, KEY, PERSON, TEXTS, Stage

Situation = Callable[[], object]
NOW = datetime(2030, 1, 1, tzinfo=UTC)
LAST = UUID(int=2**128 - 1)
FILTERS: Mapping[str, Any] = {
    "nothing": {},
    "equality": {"project": "apollo"},
    "any": {"project": {"any": ["apollo", "zeus"]}},
    "prefix": {"project": {"prefix": "ap"}},
    "numbers": {"amount": {"gte": 1, "lt": 9}},
    "instants": {"when": {"gte": "2019-01-01"}},
    "tags": {"tags": "home"},
    "absence": {"owner": {"exists": False}},
    "negation": {"not": {"project": "zeus"}},
}


def at_the_door(stage: Stage) -> dict[str, Situation]:
    """Requests of the own tenant, with own and foreign ids."""
    own, foreign = stage.own, stage.neighbour

    def ask(method: str, path: str, body: Any = None, key: str = own.key) -> Situation:
        return lambda: _told(send(key, method, path, body))

    whole = {"query": TEXTS[0], "limit": 100, "include_trace": True}
    found = {f"recall with {name}": ask("POST", "recall", {**whole, "filters": one}) for name, one in FILTERS.items()}
    for whose, party in (("own", own), ("foreign", foreign)):
        memory = party.memories[0]
        found |= {
            f"get {whose}": ask("GET", f"memories/{memory}"),
            f"erase {whose}": ask("DELETE", "memories", {"ids": [str(memory)]}),
            f"invalidate {whose}": ask("POST", "invalidate", {"ids": [str(memory)]}),
            f"correct text of {whose}": ask("PATCH", f"memories/{memory}", {"text": "A new text."}),
            f"correct tags of {whose}": ask("PATCH", f"memories/{memory}", {"tags": ["x"]}),
            f"job of {whose}": ask("GET", f"jobs/{party.job}"),
            f"why of {whose}": ask(
                "POST", "recall/why", {"query": "tea", "memory_id": str(memory), "filters": FILTERS["equality"]}
            ),
        }
    learned = dict.fromkeys(LEARNED, True)
    return found | {
        "recall of a day": ask("POST", "recall", {**whole, "query": "tea on 7 May 2024"}),
        "recall of a day alone": ask("POST", "recall", {**whole, "query": "what happened on 7 May 2024?"}),
        "recall by what was learned": ask("POST", "recall", {**whole, "stages": learned}),
        "golden questions": ask("GET", "golden-questions"),
        "add a golden question": ask("POST", "golden-questions", _golden(own.memories[0])),
        "expect a foreign memory": ask("POST", "golden-questions", _golden(foreign.memories[0])),
        "remove golden questions": ask("DELETE", "golden-questions", {"ids": [str(foreign.task), str(own.key_id)]}),
        "run golden questions": ask("POST", "golden-runs", {}),
        "golden runs": ask("GET", "golden-runs"),
        "a foreign golden run": ask("GET", f"golden-runs/{foreign.task}"),
        "feedback": ask(
            "POST", "feedback", {"hit_id": str(own.memories[0]), "signal": "clicked", "sources": ["dense"]}
        ),
        "recall what was retracted": ask("POST", "recall", {"query": "retracted", "include_invalidated": True}),
        "recall with neighbours": ask("POST", "recall", {**whole, "include_neighbors": True, "neighbor_radius": 3}),
        "recall as of": ask("POST", "recall", {"query": "tea", "as_of": "2025-01-01"}),
        "recall by an unknown key": ask("POST", "recall", {"query": "tea", "filters": {"ghost": 1}}),
        "list": ask("GET", "memories?source=talk"),
        "list jobs": ask("GET", "jobs"),
        "settings": ask("GET", "settings"),
        "change settings": ask(
            "PATCH", "settings", {"recall": {"fusion": "rrf"}, "dates": {"time_zone": "Asia/Tokyo"}}
        ),
        "settings of a newborn": ask("PATCH", "settings", {"recall": {"smoothing": 0.1}}, key=stage.newborn.key),
        "status": ask("GET", "status"),
        "status of a newborn": ask("GET", "status", key=stage.newborn.key),
        "a newborn recalls": ask("POST", "recall", {"query": "tea"}, key=stage.newborn.key),
        "a newborn writes": ask("POST", "memories", {"items": [{"text": "First words."}]}, key=stage.newborn.key),
        "write again": ask("POST", "memories", {"items": [{"text": TEXTS[0], **FIELDS}]}),
        "write a word of the neighbour's": ask("POST", "memories", {"items": [{"text": "An orphan."}]}),
        "write with news": ask("POST", "memories", {"items": [{"text": TEXTS[0], **FIELDS, "tags": ["new"]}]}),
        "restore": ask("POST", "memories", {"items": [{"text": "This was retracted.", "source": "gone"}]}),
        "erase by source": ask("DELETE", "memories", {"source": "talk"}),
        "invalidate by source": ask("POST", "invalidate", {"source": "talk"}),
    }


RUN: Mapping[str, Any] = {"settings": "x", "questions": 1, "ranks": {}} | dict.fromkeys(
    ("recall_1", "recall_5", "recall_10", "mrr"), 1.0
)


def _golden(memory: UUID) -> Mapping[str, Any]:
    return {"questions": [{"question": "What is known?", "expect": [str(memory)]}]}


def _told(answer: Any) -> tuple[int, str]:
    return answer.status, answer.body.decode()


def behind_the_door(stage: Stage) -> dict[str, Situation]:
    """Calls of store and service functions in the own tenant's scope with the neighbour's ids."""
    scope, theirs, newborn = stage.own.scope, stage.neighbour, stage.newborn.scope
    versions, memories = theirs.versions, theirs.memories
    operator = operator_scope(stage.own.tenant, "stage")

    def on_cursor(act: Callable[..., object], *rest: Any, **named: Any) -> Situation:
        def run() -> object:
            with tenant_rows(scope.tenant) as cursor:
                return act(cursor, scope, *rest, **named)

        return run

    space = configured().space
    embedded = [(versions[0], 0, "[" + ",".join(["0.5"] * configured().dimension) + "]", "1" * configured().dimension)]
    derived: list[Any] = [(versions[0], "tea", "en", "{}", [], False)]
    return {
        "known golden questions": on_cursor(golden.known, ["x"]),
        "texts of golden questions": on_cursor(golden.texts, "", [theirs.task]),
        "expect by a foreign question": on_cursor(golden.expect, [(theirs.task, memories[0])]),
        "how many golden questions": on_cursor(golden.count),
        "keep no golden runs": on_cursor(golden.add_run, "", RUN, 0),
        "count a use": on_cursor(learning.count_use, memories),
        "count a showing": on_cursor(learning.count_showing, memories),
        "records by version": on_cursor(records.by_version, versions),
        "memories of versions": on_cursor(records.memories_of, versions),
        "lock": on_cursor(writer.lock_current, memories),
        "close": on_cursor(writer.close_versions, versions, NOW),
        "unmark": on_cursor(writer.unmark_retracted, versions),
        "copy vectors": on_cursor(vectors.copy_vectors, {versions[0]: stage.own.versions[-1]}),
        "mark indexed": on_cursor(vectors.mark_indexed, versions),
        "add vectors": on_cursor(vectors.add_vectors, embedded, space),
        "insert vectors": on_cursor(vectors._insert_vectors, [list(each) for each in zip(*embedded, strict=True)]),
        "drop tasks": on_cursor(outbox.drop_tasks, versions),
        "release tasks": on_cursor(outbox.release_tasks, versions, "error", 1.0),
        "replace derived": on_cursor(terms.replace_derived, derived, analyse),
        "erase memories": on_cursor(writer.erase_memories, memories),
        **{f"words: {name}": _worded(stage, act) for name, act in VOCABULARY.items()},
        "neighbours and scores": lambda: _complete(stage),
        "dense arm": lambda: _arms(stage),
        "seen": on_cursor(reasons.seen, versions, View()),
        "visible": on_cursor(records.visible_of, memories, Search("tea", 10, 0.0)),
        "passed": on_cursor(reasons.passed, versions[0], [parse_filters({"namespace": {"exists": True}})]),
        "moments": on_cursor(
            lambda cursor, scope: PostgresTimes(cursor, _reader(cursor, scope)).moments(scope, versions)
        ),
        "versions": lambda: _or_error(lambda: lookup.list_versions(scope, memories[0])),
        "own versions": lambda: lookup.list_versions(scope, stage.own.memories[0]),
        "the newest": lambda: browse(scope),
        "the newest of a folder": lambda: browse(scope, filters=parse_filters({"project": "apollo"})),
        "what was retracted": lambda: browse(scope, shelf="retracted"),
        "shares": lambda: survey.shares(scope),
        "known keys": lambda: survey.known_keys(scope),
        "how many match": lambda: survey.count_each(scope, [None, parse_filters({"project": "apollo"})]),
        "rows of a memory": lambda: survey.rows_of(scope, memories[0]),
        "overview": lambda: [number for _day, number in overview(scope).stored],
        "activity": lambda: [
            (event.action, event.who, event.actor) for event in list_activity(scope, limit=200).events
        ],
        "names of actors": on_cursor(lambda cursor, scope: _names(scope, [f"key:{theirs.key_id}", *_people(stage)])),
        "index versions": lambda: indexing.index_versions(scope, versions, by="test"),
        "index claimed": lambda: indexing._index_claimed(scope, [theirs.task]),  # type: ignore[list-item]
        "index pending": indexing.index_pending,
        "recall in the past": lambda: recall(scope, query="tea", view=View(known_at=datetime.now(UTC))).notes,
        "reindex": lambda: _reindex(stage),
        "versions to reindex": lambda: reindex.count_versions(operator),
        "end of a job": lambda: jobs._end(Job(tenant_id=scope.tenant, id=theirs.job, kind="x"), "failed", "error"),
        "limits of a newborn": lambda: quotas.set_quota(newborn, {"memories": 5}),
        "a limit again": lambda: quotas.set_quota(scope, {"rps": 900}),
        "no limits": lambda: quotas.set_quota(scope, {"memories": -1}),
        "keys": lambda: [key.id for key in list_keys(scope)],
        "a page of keys": lambda: [key.id for key in page_of_keys(scope).keys],
        "a later page of keys": lambda: [key.id for key in page_of_keys(scope, after=Place(False, LAST)).keys],
        "a key": lambda: _or_error(lambda: get_key(scope, theirs.key_id).id),
        "revoke": lambda: _or_error(lambda: revoke_key(scope, theirs.key_id)),
        "touch": lambda: authentication._touch(scope.tenant, theirs.key_id),
        "member": lambda: add_member(scope.tenant, PERSON, Role.ADMIN).email,
        "the same idempotency key": lambda: _once(operator),
        "the same idempotency key in a newborn": lambda: _once(operator_scope(newborn.tenant, "stage")),
        "a failure under the same key": lambda: _fails_once(operator_scope(newborn.tenant, "stage")),
        "secret": lambda: len(tenant_secret.__wrapped__(stage.own.tenant)),
    }


VOCABULARY: Mapping[str, Callable[[Any, Scope, Stage], object]] = {
    "a prefix": lambda cursor, scope, stage: _planned(cursor, scope, "raw", "deb*"),
    "a phrase": lambda cursor, scope, stage: _planned(cursor, scope, "exact", "prefers tea"),
    "a word in another form": lambda cursor, scope, stage: _planned(cursor, scope, "raw", "runs OR 字"),
    "alike": lambda cursor, scope, stage: words.alike(cursor, scope, ["debain", "neighbuor", "frydai"], 9),
    "seen": lambda cursor, scope, stage: words.seen(cursor, scope, ["tea", "only", "friday"]),
    "standing": lambda cursor, scope, stage: words.standing(
        cursor, scope, stage.neighbour.versions, [Near("tea", 1, ("tea",)), Near("neighbour", 1, ("neighbour",))]
    ),
    "between": lambda cursor, scope, stage: words.between(cursor, scope, [("文", "学")]),
    "terms": lambda cursor, scope, stage: words.terms_of(cursor, scope, ["orphan", "tea"]),
    "beginning": lambda cursor, scope, stage: words.beginning(cursor, scope, "orph", 9),
    "ending": lambda cursor, scope, stage: words.ending(cursor, scope, "化", 9),
    "of versions": lambda cursor, scope, stage: words.words_of(cursor, scope, stage.neighbour.versions),
    "a page": lambda cursor, scope, stage: words.page(cursor, scope, ("", "")),
    "dropped": lambda cursor, scope, stage: words.drop_unused(cursor, scope, [("orphan", "orphan"), ("tea", "tea")]),
}
"""What is asked of the vocabulary, or done to it."""


def _worded(stage: Stage, act: Callable[[Any, Scope, Stage], object]) -> Situation:
    def run() -> object:
        with tenant_rows(stage.own.tenant) as cursor:
            found = act(cursor, stage.own.scope, stage)
        return sorted(found) if isinstance(found, set) else found

    return run


def _planned(cursor: Any, scope: Scope, mode: str, query: str) -> object:
    made = plan(mode, query, "en")
    assert made is not None
    search = Search(query, 100, monotonic() + 60, View(), None, mode)
    return _words(cursor, scope).planned(scope, search, made, 100).hits


def _people(stage: Stage) -> list[str]:
    """The neighbour's members, as actors."""
    return [f"member:{user}" for user in User.objects.filter(email=PERSON).values_list("id", flat=True)]


def _or_error(act: Situation) -> object:
    try:
        return act()
    except Exception as error:
        return type(error).__name__


def _search(stage: Stage) -> Search:
    return Search(TEXTS[0], 100, monotonic() + 60, View(), parse_filters(None))


def _arms(stage: Stage) -> object:
    scope, search = stage.own.scope, _search(stage)
    embedding = configured().embed_query(search.text)
    with tenant_rows(scope.tenant) as cursor:
        store = _reader(cursor, scope)
        hits = store.nearest(scope, search, embedding, 100)
        words = _words(cursor, scope).matching(scope, search, dict.fromkeys(["tea", "debian", "friday"], 1.0), 100)
    return [hit.version for hit in hits], sorted(hit.version for hit in words.hits), words.weights


def _complete(stage: Stage) -> object:
    """The completion of a pool that holds the neighbour's versions."""
    scope, theirs = stage.own.scope, stage.neighbour.versions
    embedding = numpy.ones(configured().dimension, dtype=numpy.float32)
    with tenant_rows(scope.tenant) as cursor:
        pool, near = _reader(cursor, scope).complete(
            scope, _search(stage), theirs, theirs, embedding, {"tea": 1.0, "debian": 1.0}
        )
    return [item.scores for item in pool], near


def _reader(cursor: Any, scope: Scope) -> PostgresReader:
    return PostgresReader(cursor, corpus.read(cursor, scope))


def _words(cursor: Any, scope: Scope) -> PostgresWords:
    return PostgresWords(cursor, corpus.read(cursor, scope))


def _reindex(stage: Stage) -> int:
    """As after a change of the embedder: the old vectors go."""
    with tenant_rows(stage.own.tenant) as cursor:
        cursor.execute(
            "/* test.setup */ UPDATE memory_corpus SET embedding_space = 'old' WHERE tenant_id = %s", [stage.own.tenant]
        )
    return reindex.reindex(operator_scope(stage.own.tenant, "reindex"))


def _once(scope: Scope) -> object:
    return idempotency.once(scope, KEY, route="r", body={}, act=lambda: (201, {"by": "probe"}))


def _fails_once(scope: Scope) -> object:
    def fail() -> Any:
        raise ZeroDivisionError

    return _or_error(lambda: idempotency.once(scope, KEY, route="r", body={}, act=fail))
