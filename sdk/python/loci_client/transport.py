"""The two that drive flows: `Blocking` and `Awaiting`. They do nothing else."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx

from loci_client.errors import LociError, NotReached, TimedOut
from loci_client.retries import Retries, attempts
from loci_client.steps import Call, Exchange, Flow, Pause, Reply, Step, T

TIMEOUT = httpx.Timeout(60.0, connect=10.0)
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.ProxyError)


def _failure(error: httpx.HTTPError, url: str) -> NotReached:
    reason = str(error) or type(error).__name__
    sent = not isinstance(error, NEVER_SENT)
    if isinstance(error, httpx.TimeoutException):
        return TimedOut(f"Loci at {url} does not answer in time ({type(error).__name__}).", sent=sent)
    return NotReached(f"Loci at {url} cannot be reached: {reason}", sent=sent)


def _reply(response: httpx.Response) -> Reply:
    return Reply(response.status_code, response.headers, response.content)


class Blocking:
    """Drives a flow in the calling thread."""

    def __init__(self, http: httpx.Client, url: str, headers: dict[str, str], retries: Retries) -> None:
        self.http = http
        self.url = url
        self._headers = headers
        self._retries = retries

    def run(self, flow: Flow[T]) -> T:
        """What the flow returns."""
        resume: Callable[[], Step] = partial(next, flow)
        while True:
            try:
                step = resume()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                resume = partial(flow.send, self._take(step))
            except LociError as error:
                resume = partial(flow.throw, error)

    def _take(self, step: Step) -> Any:
        if isinstance(step, Call):
            return self.run(attempts(step, self._retries))
        if isinstance(step, Pause):
            return time.sleep(step.seconds)
        return self._send(step)

    def _send(self, step: Exchange) -> Reply:
        headers = {**step.headers, **self._headers}
        try:
            return _reply(
                self.http.request(
                    step.method, self.url + step.path, params=step.params, headers=headers, content=step.content
                )
            )
        except httpx.HTTPError as error:
            raise _failure(error, self.url) from error


class Awaiting:
    """Drives a flow in an event loop."""

    def __init__(self, http: httpx.AsyncClient, url: str, headers: dict[str, str], retries: Retries) -> None:
        self.http = http
        self.url = url
        self._headers = headers
        self._retries = retries

    async def run(self, flow: Flow[T]) -> T:
        """What the flow returns."""
        resume: Callable[[], Step] = partial(next, flow)
        while True:
            try:
                step = resume()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                resume = partial(flow.send, await self._take(step))
            except LociError as error:
                resume = partial(flow.throw, error)

    async def _take(self, step: Step) -> Any:
        if isinstance(step, Call):
            return await self.run(attempts(step, self._retries))
        if isinstance(step, Pause):
            return await asyncio.sleep(step.seconds)
        return await self._send(step)

    async def _send(self, step: Exchange) -> Reply:
        headers = {**step.headers, **self._headers}
        try:
            return _reply(
                await self.http.request(
                    step.method, self.url + step.path, params=step.params, headers=headers, content=step.content
                )
            )
        except httpx.HTTPError as error:
            raise _failure(error, self.url) from error
