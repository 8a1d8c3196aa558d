"""Where an ASGI door does what blocks: a bounded number of threads, a database connection only while one works."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

import anyio.to_thread
from anyio import CapacityLimiter
from django.core.signals import request_finished, request_started

from loci.ground.context import RequestFacts, current
from loci.ground.errors import Unavailable

T = TypeVar("T")
QUEUE = 16
"""Calls that may wait for each thread; more are refused, since they would only time out."""
SHARE = 4
"""Calls of one tenant that may wait or work for each thread, so that it cannot keep all others out."""


class Threads:
    """Runs blocking work of one event loop, in `count` threads."""

    def __init__(self, count: int) -> None:
        self._limiter = CapacityLimiter(count)
        self._of_tenant: Counter[UUID] = Counter()

    async def run(self, facts: RequestFacts, work: Callable[[], T], *, tenant: UUID | None = None) -> T:
        """`work()` in a thread, between Django's signals of a request, which hand its connection back to the pool.

        `Unavailable` when too many wait already, in all or of the tenant.
        """
        threads = self._limiter.total_tokens
        if self._limiter.statistics().tasks_waiting >= QUEUE * threads:
            raise Unavailable("Too many calls are waiting: try again in a moment.", headers={"Retry-After": "2"})
        if tenant is not None and self._of_tenant[tenant] >= SHARE * threads:
            raise Unavailable(
                "Too many calls of this tenant are waiting: try again in a moment, and make fewer at once.",
                headers={"Retry-After": "2"},
            )

        def within_request() -> T:
            token = current.set(facts)
            request_started.send(sender=Threads, environ=None)
            try:
                return work()
            finally:
                request_finished.send(sender=Threads)
                current.reset(token)

        if tenant is None:
            return await anyio.to_thread.run_sync(within_request, limiter=self._limiter)
        self._of_tenant[tenant] += 1
        try:
            return await anyio.to_thread.run_sync(within_request, limiter=self._limiter)
        finally:
            self._of_tenant[tenant] -= 1
            if not self._of_tenant[tenant]:
                del self._of_tenant[tenant]
