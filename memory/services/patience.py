"""Patience: a call that may hang is waited for no longer than there is time."""

import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar
from uuid import UUID

T = TypeVar("T")
THREADS = 32
"""Calls that may hang at once; a further one waits for a thread, and its patience runs meanwhile."""
MODEL_THREADS = 64
"""Calls of language models at once, in threads of their own: tenants name them, and embedding goes on beside them."""
MODEL_EACH = 4
"""Of them, those of one tenant."""


class Late(Exception):
    """It has not answered in time."""


class Busy(Exception):
    """So many calls are under way that this one is not begun."""


class _Threads:
    """What a process has of both kinds; a forked child starts with none."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.asked: Counter[UUID] = Counter()
        self.any = ThreadPoolExecutor(THREADS, thread_name_prefix="patience")
        self.models = ThreadPoolExecutor(MODEL_THREADS, thread_name_prefix="language-model")

    def enter(self, tenant: UUID) -> None:
        """Count a call of a language model in. Raises Busy."""
        with self.lock:
            if self.asked[tenant] >= MODEL_EACH or self.asked.total() >= MODEL_THREADS:
                raise Busy
            self.asked[tenant] += 1

    def leave(self, tenant: UUID) -> None:
        """Count it out: it has ended, in time or not."""
        with self.lock:
            self.asked[tenant] -= 1
            if not self.asked[tenant]:
                del self.asked[tenant]


_threads = _Threads()


def within(seconds: float, work: Callable[[], T]) -> T:
    """`work()`, or `Late` after `seconds`: then it ends by itself and its answer is dropped.

    `work` runs in another thread, so it must not touch the database.
    """
    if seconds <= 0:
        raise Late
    return _waited(seconds, _threads.any.submit(work))


def asking(tenant: UUID, seconds: float, work: Callable[[], T]) -> T:
    """As `within`, for `work` that calls a language model for `tenant`. Raises Busy when 4 of its calls, late ones
    among them, or 64 of all tenants' are under way."""
    if seconds <= 0:
        raise Late
    threads = _threads
    threads.enter(tenant)
    try:
        future = threads.models.submit(work)
    except BaseException:
        threads.leave(tenant)
        raise
    future.add_done_callback(lambda _: threads.leave(tenant))
    return _waited(seconds, future)


def _waited(seconds: float, future: "Future[T]") -> T:
    try:
        return future.result(timeout=seconds)
    except TimeoutError:
        if future.done():  # `work` itself raised it
            raise
        future.cancel()
        raise Late from None


def _forget_threads() -> None:
    """A forked child has none of them."""
    global _threads
    _threads = _Threads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
