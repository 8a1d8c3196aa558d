"""Storing many items: they are cut into batches that the server takes, and every item gets its outcome, in order.

One bad item must not cost its neighbours: the server refuses a whole request for it, so that it is taken out, told as
`failed`, and the rest is sent again.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from loci_client.errors import InvalidRequest, LociError
from loci_client.models import Item, Outcome, Written
from loci_client.operations import item_json, wait_for_job, write_call
from loci_client.steps import Flow, perform

INLINE = 64
"""Items of a request that are stored before the answer comes; more become a job."""
LARGEST = 1_000
MAX_BYTES = 16 * 2**20
"""Of a batch; the server takes bodies of 32 MB."""
MAX_WINDOWS = 128
"""Of a request with an item to be cut."""
WINDOW = 800
_POINTER = re.compile(r"^/items/(\d+)(?:/|$)")
_SENTENCE = re.compile(r"^items\[(\d+)\]")
_ALONE = frozenset({400, 413, 422})


@dataclass(frozen=True)
class IngestOptions:
    """How to ingest. `batch_size` up to 64 has each batch stored before the next is read; up to 1,000 makes jobs.

    `wait`: how many seconds to wait for a job; 0 waits for none, and the outcomes say `queued`.
    """

    batch_size: int = INLINE
    wait: float = 600.0

    def __post_init__(self) -> None:
        if not 1 <= self.batch_size <= LARGEST:
            raise ValueError(f"batch_size is 1 to {LARGEST}")


@dataclass(frozen=True)
class Entry:
    """An item as it is sent, and its place in what is ingested."""

    place: int
    body: dict[str, Any]

    @property
    def size(self) -> int:
        """Bytes in a request."""
        return len(json.dumps(self.body)) + 2

    @property
    def windows(self) -> int:
        """Memories that it becomes, at most."""
        return math.ceil(len(self.body["text"]) / WINDOW) if self.body.get("chunk") else 1


class Batches:
    """Gathers items; gives a batch as soon as it is full, and holds no more than one."""

    def __init__(self, options: IngestOptions) -> None:
        self._limit = options.batch_size
        self._next = 0
        self._empty()

    def _empty(self) -> None:
        self._held: list[Entry] = []
        self._bytes = self._windows = 0
        self._cut = False

    def add(self, item: str | Item) -> Iterator[list[Entry]]:
        """Take one item in; the batches that are full by it, none or one or two."""
        entry = Entry(self._next, item_json(item))
        self._next += 1
        size, windows, cut = entry.size, entry.windows, bool(entry.body.get("chunk"))
        if self._held and (
            self._bytes + size > MAX_BYTES or ((self._cut or cut) and self._windows + windows > MAX_WINDOWS)
        ):
            yield from self.rest()
        self._held.append(entry)
        self._bytes += size
        self._windows += windows
        self._cut = self._cut or cut
        if len(self._held) >= self._limit:
            yield from self.rest()

    def rest(self) -> Iterator[list[Entry]]:
        """What is held, as the last batch."""
        held = self._held
        self._empty()
        if held:
            yield held


def store(batch: Sequence[Entry], options: IngestOptions) -> Flow[list[Outcome]]:
    """Store a batch: the outcomes of its items, in order, `item` counted over all that is ingested."""
    try:
        answer = yield from perform(write_call([entry.body for entry in batch], None))
    except InvalidRequest as error:
        if error.status not in _ALONE:
            raise
        return (yield from _without_the_faulty(batch, error, options))
    if not isinstance(answer, Written):
        if not options.wait:
            return [_queued(entry) for entry in batch]
        job = yield from wait_for_job(answer.job, timeout=options.wait)
        answer = job.written or Written((), 0, 0, 0)
    return [replace(outcome, item=batch[outcome.item].place) for outcome in answer.results]


def _without_the_faulty(batch: Sequence[Entry], error: InvalidRequest, options: IngestOptions) -> Flow[list[Outcome]]:
    faulty = _named(error, len(batch))
    if len(batch) == 1:
        return [_failed(batch[0], error, 0)]
    outcomes: list[Outcome] = []
    if faulty:
        parts = [[entry for at, entry in enumerate(batch) if at not in faulty]]
        outcomes = [_failed(batch[at], error, at) for at in faulty]
    else:
        parts = [list(batch[: len(batch) // 2]), list(batch[len(batch) // 2 :])]
    for part in parts:
        if part:
            outcomes += yield from store(part, options)
    return sorted(outcomes, key=lambda outcome: outcome.item)


def _named(error: InvalidRequest, count: int) -> list[int]:
    """The items that the error names."""
    named = [_POINTER.match(fault.pointer) for fault in error.errors] or [_SENTENCE.match(error.detail)]
    return sorted({at for found in named if found and (at := int(found[1])) < count})


def _failed(entry: Entry, error: LociError, at: int) -> Outcome:
    reasons = []
    if isinstance(error, InvalidRequest):
        mine = [fault for fault in error.errors if (found := _POINTER.match(fault.pointer)) and int(found[1]) == at]
        reasons = [f"{_POINTER.sub('', fault.pointer)} {fault.detail}".strip() for fault in mine] or [error.detail]
    reason = re.sub(r"^items\[\d+\]:? ", "", "; ".join(reasons))
    return Outcome(None, "failed", entry.place, searchable=False, reason=reason)


def _queued(entry: Entry) -> Outcome:
    return Outcome(None, "queued", entry.place, searchable=False)
