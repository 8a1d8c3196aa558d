"""Store: remember at once what is little, queue what is much."""

from collections.abc import Sequence

from memory.engine.items import Item, Outcome
from memory.models import Job
from memory.services.jobs import submit_remember
from memory.services.prepare import MAX_CHUNKS
from memory.services.remember import remember
from tenants.scope import Scope

IMMEDIATE = 64
"""Items that are stored before the answer; chunks of one item count once."""


def store(scope: Scope, *, items: Sequence[Item], wait: float | None = None) -> list[Outcome] | Job:
    """The outcome of each item, or the job that stores them when they are many. `wait` as `remember` has it."""
    many = len(items) > IMMEDIATE and len({item.index for item in items}) > IMMEDIATE
    if many or len(items) > MAX_CHUNKS:
        return submit_remember(scope, items=items)
    return remember(scope, items=items, wait=wait)
