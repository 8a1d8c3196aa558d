"""Many callers at the same moment, each with a connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connections

T = TypeVar("T")


def at_once(count: int, act: Callable[[int], T]) -> list[T]:
    """What `act(0)` to `act(count - 1)` return when they start together."""
    barrier = Barrier(count, timeout=30)

    def run(at: int) -> T:
        try:
            barrier.wait()
            return act(at)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
