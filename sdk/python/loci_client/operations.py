"""What Loci can be asked, each once: its arguments, its request, its answer. `Loci` and `AsyncLoci` offer these."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Generic, Unpack
from urllib.parse import quote

from loci_client.context import as_block
from loci_client.decoding import decode
from loci_client.errors import JobFailed, JobUnfinished, UnexpectedAnswer
from loci_client.models import (
    Accepted,
    Erasure,
    Health,
    Instant,
    Item,
    ItemFields,
    Job,
    JobPage,
    Learned,
    Listed,
    ListPage,
    Memory,
    Recalled,
    RecallOptions,
    Retraction,
    Settings,
    SettingsChange,
    Status,
    ToolList,
    Written,
)
from loci_client.steps import Call, Flow, Pause, T, new_idempotency_key, perform

API = "/api/v1"
IDS_A_CALL = 256
JOB_PAUSES = (0.2, 0.5, 1.0, 2.0)


def item_json(item: str | Item) -> dict[str, Any]:
    """An item as it is sent; a string stands for an item with that text."""
    return {"text": item} if isinstance(item, str) else _plain(item)


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is None, and with moments as text."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in fields.items()
        if value is not None
    }


def _written_or_accepted(document: Any) -> Written | Accepted:
    if isinstance(document, dict) and "job" in document:
        return decode(Accepted, document)
    return decode(Written, document)


def write_call(items: Sequence[dict[str, Any]], idempotency_key: str | None) -> Call[Written | Accepted]:
    """The request that stores items which are JSON already."""
    headers = {"Idempotency-Key": idempotency_key or new_idempotency_key()}
    return Call("POST", f"{API}/memories", _written_or_accepted, {"items": list(items)}, headers=headers)


def remember(
    text: str, *, idempotency_key: str | None = None, wait: float = 120.0, **fields: Unpack[ItemFields]
) -> Flow[Written]:
    """Store one text. With `chunk=True` it is cut into windows, each a memory of its own."""
    item = _plain({"text": text, **fields})
    return (yield from _stored([item], idempotency_key, wait))


def remember_many(
    items: Iterable[str | Item], *, idempotency_key: str | None = None, wait: float = 120.0
) -> Flow[Written]:
    """Store 1 to 1,000 items in one request. More than 64 are a job, which is waited for up to `wait` seconds."""
    return (yield from _stored([item_json(item) for item in items], idempotency_key, wait))


def _stored(items: Sequence[dict[str, Any]], idempotency_key: str | None, wait: float) -> Flow[Written]:
    answer = yield from perform(write_call(items, idempotency_key))
    if isinstance(answer, Written):
        return answer
    job = yield from wait_for_job(answer.job, timeout=wait)
    return job.written or Written((), 0, 0, 0)


def submit(items: Iterable[str | Item], *, idempotency_key: str | None = None) -> Flow[Written | Accepted]:
    """Store 1 to 1,000 items in one request and wait for nothing: more than 64 give the id of their job."""
    return (yield from perform(write_call([item_json(item) for item in items], idempotency_key)))


def recall(query: str, **options: Unpack[RecallOptions]) -> Flow[Recalled]:
    """What the memories say about `query`, best first."""
    body = _plain({"query": query, **options})
    return (yield from perform(Call("POST", f"{API}/recall", partial(decode, Recalled), body)))


def context_block(query: str, **options: Unpack[RecallOptions]) -> Flow[str]:
    """What the memories say about `query`, as a block for a prompt: each text fenced, labelled as data, with its id.

    An empty string when nothing is found. The whole block keeps to `token_budget`, by estimate.
    """
    found = yield from recall(query, **options)
    return as_block(found.results, options.get("token_budget"))


def feedback(
    hit_id: str,
    signal: str,
    *,
    query: str | None = None,
    sources: Sequence[str] | None = None,
    reward: float | None = None,
    idempotency_key: str | None = None,
) -> Flow[Learned]:
    """Say whether a result was `useful`, `irrelevant` or `clicked`. `sources`: the retrievers of the hit. The same
    feedback counts once a day."""
    given = {"hit_id": hit_id, "signal": signal, "query": query, "reward": reward}
    body = _plain({**given, "sources": None if sources is None else list(sources)})
    headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
    return (yield from perform(Call("POST", f"{API}/feedback", partial(decode, Learned), body, headers=headers)))


def get(memory_id: str) -> Flow[Memory]:
    """A memory with everything about it, retracted or not."""
    return (yield from perform(Call("GET", _memory(memory_id), partial(decode, Memory))))


def _memory(memory_id: str) -> str:
    return f"{API}/memories/{quote(memory_id, safe='')}"


def correct(
    memory_id: str,
    *,
    text: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    tags: Sequence[str] | None = None,
    if_match: str | None = None,
) -> Flow[Memory]:
    """Change text, metadata (merged; a None removes its key) or tags. `if_match`: only if the version is still that.

    It is not sent again when the answer is lost: the change may have been made.
    """
    given = {"text": text, "metadata": metadata, "tags": None if tags is None else list(tags)}
    body = {name: value for name, value in given.items() if value is not None}
    headers = {} if if_match is None else {"If-Match": f'"{if_match}"'}
    return (
        yield from perform(
            Call("PATCH", _memory(memory_id), partial(decode, Memory), body, headers=headers, repeatable=False)
        )
    )


def forget(
    *,
    ids: Sequence[str] | None = None,
    source: str | None = None,
    invalidated_at: Instant | None = None,
    valid_until: Instant | None = None,
) -> Flow[int]:
    """Retract memories, by ids or all of a source: recall no longer shows them; how many. Sending the same content
    again takes it back."""
    fields = _plain({"invalidated_at": invalidated_at, "valid_until": valid_until})
    done = 0
    for selection in _selections(ids, source):
        complete = False
        while not complete:
            call = Call("POST", f"{API}/invalidate", partial(decode, Retraction), {**selection, **fields})
            answer = yield from perform(call)
            done += answer.invalidated
            complete = answer.complete or not answer.invalidated
    return done


def erase(*, ids: Sequence[str] | None = None, source: str | None = None) -> Flow[int]:
    """Erase memories for good, by ids or all of a source, with all their versions; how many. There is no undo."""
    done = 0
    for selection in _selections(ids, source):
        complete = False
        while not complete:
            answer = yield from perform(Call("DELETE", f"{API}/memories", partial(decode, Erasure), selection))
            done += answer.deleted
            complete = answer.complete or not answer.deleted
    return done


def _selections(ids: Sequence[str] | None, source: str | None) -> Iterable[dict[str, Any]]:
    if isinstance(ids, str):
        raise TypeError("ids is a list of ids")
    if (ids is None) == (source is None):
        raise ValueError("give exactly one of ids and source")
    if ids is None:
        return [{"source": source}]
    return [{"ids": list(ids[start : start + IDS_A_CALL])} for start in range(0, len(ids), IDS_A_CALL)]


def job(job_id: str) -> Flow[Job]:
    """A large write and how far it is, with its outcomes so far."""
    return (yield from perform(Call("GET", f"{API}/jobs/{quote(job_id, safe='')}", partial(decode, Job))))


def wait_for_job(job_id: str, *, timeout: float = 120.0) -> Flow[Job]:
    """The job once it has succeeded. JobFailed if it fails, JobUnfinished if it takes longer than `timeout` seconds."""
    end = time.monotonic() + timeout
    pauses = iter(JOB_PAUSES)
    pause = 0.0
    while True:
        found = yield from job(job_id)
        if found.state == "failed":
            raise JobFailed(found)
        if found.finished:
            return found
        if time.monotonic() >= end:
            raise JobUnfinished(found)
        pause = next(pauses, pause)
        yield Pause(min(pause, max(0.0, end - time.monotonic())))


def tools(*, provider: str = "openai", toolset: str = "all") -> Flow[list[Mapping[str, Any]]]:
    """Declarations of the tools that the key may call, as a model provider's API takes them: `openai`, `anthropic` or
    `gemini`."""
    params = {"format": provider, "tools": toolset}
    return (yield from perform(Call("GET", f"{API}/tools", partial(decode, ToolList), params=params))).tools


def call_tool(name: str, arguments: Mapping[str, Any] | None = None) -> Flow[Mapping[str, Any]]:
    """Call a tool with the arguments that a model gave, and return its result for the model.

    It is not sent again when the answer is lost: what the tool does may have been done.
    """
    path = f"{API}/tools/{quote(name, safe='')}"
    return (yield from perform(Call("POST", path, _object, dict(arguments or {}), repeatable=False)))


def _object(document: Any) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise UnexpectedAnswer("The answer is no result of a tool: no JSON object.")
    return document


def status() -> Flow[Status]:
    """How the server and the tenant stand."""
    return (yield from perform(Call("GET", f"{API}/status", partial(decode, Status))))


def settings() -> Flow[Settings]:
    """The tenant's settings, as they are in force. It needs a key with `admin`."""
    return (yield from perform(Call("GET", f"{API}/settings", partial(decode, Settings))))


def change_settings(*, expected_version: int | None = None, **sections: Unpack[SettingsChange]) -> Flow[Settings]:
    """Change some settings: in a section what is absent stays, and None is the default again.

    `expected_version`: only if the settings are still of that version, else `Changed`. It is not sent again when the
    answer is lost: the change may have been made.
    """
    headers = {} if expected_version is None else {"If-Match": f'"{expected_version}"'}
    decoded = partial(decode, Settings)
    return (yield from perform(Call("PATCH", f"{API}/settings", decoded, sections, headers=headers, repeatable=False)))


def health() -> Flow[Health]:
    """Whether the server's parts answer. It needs no key."""
    return (yield from perform(Call("GET", f"{API}/health", partial(decode, Health))))


@dataclass
class Pages(Generic[T]):
    """A list that comes in pages. `next_page` is the flow of the page after the cursor: its entries, and the next
    cursor or None."""

    next_page: Callable[[str | None], Flow[tuple[Sequence[T], str | None]]]
    cursor: str | None = None
    more: bool = True

    def next(self) -> Flow[Sequence[T]]:
        """The entries of the next page."""
        entries, self.cursor = yield from self.next_page(self.cursor)
        self.more = self.cursor is not None
        return entries


def memories(source: str, *, page_size: int = 500) -> Pages[Listed]:
    """The memories of one source, in order of id, without their texts; fetched a page at a time."""

    def page(after: str | None) -> Flow[tuple[Sequence[Listed], str | None]]:
        params = {"source": source, "limit": str(page_size), **({} if after is None else {"after": after})}
        found = yield from perform(Call("GET", f"{API}/memories", partial(decode, ListPage), params=params))
        return found.items, None if found.complete or not found.items else found.items[-1].id

    return Pages(page)


def jobs(*, page_size: int = 50) -> Pages[Job]:
    """The key's own jobs without their results, newest first; fetched a page at a time."""

    def page(before: str | None) -> Flow[tuple[Sequence[Job], str | None]]:
        params = {"limit": str(page_size), **({} if before is None else {"before": before})}
        found = yield from perform(Call("GET", f"{API}/jobs", partial(decode, JobPage), params=params))
        return found.items, found.next

    return Pages(page)
