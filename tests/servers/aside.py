"""Asynchronous work in a thread of its own: the browser of other tests keeps an event loop running in the main one."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def aside(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What `work` comes to."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
