"""Patience: a call that may hang is waited for no longer than there is time."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
THREADS = 32
"""Calls that may hang at once; a further one waits for a thread, and its patience runs meanwhile."""

_pool: ThreadPoolExecutor | None = None


class Late(Exception):
    """It has not answered in time."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """`work()`, or `Late` after `seconds`: then it ends by itself and its answer is dropped.

    `work` runs in another thread, so it must not touch the database.
    """
    global _pool
    if seconds <= 0:
        raise Late
    _pool = _pool or ThreadPoolExecutor(THREADS, thread_name_prefix="patience")
    future: Future[T] = _pool.submit(work)
    try:
        return future.result(timeout=seconds)
    except TimeoutError:
        if future.done():  # `work` itself raised it
            raise
        future.cancel()
        raise Late from None


def _forget_threads() -> None:
    """A forked child has none of them."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
