"""Where an ASGI door does what blocks: a bounded number of threads, a database connection only while one works."""

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from django.conf import settings
from django.core.signals import request_finished, request_started

from loci.ground.context import RequestFacts, current
from loci.ground.errors import Unavailable

T = TypeVar("T")
_QUEUE = 16
"""Calls that may wait for each thread; more are refused, since they would only time out."""


class Threads:
    """Runs blocking work of one event loop."""

    def __init__(self, count: int | None = None) -> None:
        self._limiter = CapacityLimiter(count or settings.MCP_THREADS)

    async def run(self, facts: RequestFacts, work: Callable[[], T]) -> T:
        """`work()` in a thread, between Django's signals of a request, which hand its connection back to the pool.

        `Unavailable` when too many wait already.
        """
        if self._limiter.statistics().tasks_waiting >= _QUEUE * self._limiter.total_tokens:
            raise Unavailable("Too many calls are waiting: try again in a moment.", headers={"Retry-After": "2"})

        def within_request() -> T:
            token = current.set(facts)
            request_started.send(sender=Threads, environ=None)
            try:
                return work()
            finally:
                request_finished.send(sender=Threads)
                current.reset(token)

        return await anyio.to_thread.run_sync(within_request, limiter=self._limiter)
