"""`Loci` and `AsyncLoci`: the same operations, blocking and not."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from types import TracebackType
from typing import Self

import httpx

from loci_client import operations
from loci_client.binding import awaiting, blocking, iterating, iterating_async
from loci_client.ingesting import INLINE, Batches, IngestOptions, store
from loci_client.models import Item, Outcome
from loci_client.retries import Retries
from loci_client.settings import Settings, resolve
from loci_client.transport import TIMEOUT, Awaiting, Blocking
from loci_client.version import VERSION

DEFAULT_RETRIES = Retries()


def _headers(settings: Settings) -> dict[str, str]:
    return {"Authorization": f"Bearer {settings.api_key}", "User-Agent": f"loci-client/{VERSION}"}


class Loci:
    """A memory, from code that blocks.

        with Loci("https://loci.example", "loci_sk_…") as loci:
            loci.remember("Dana wants summaries by secure message.")
            print(loci.context_block("how does Dana want summaries?"))

    Without address and key it takes `LOCI_URL` and `LOCI_API_KEY`, then what `loci login` saved. One object serves
    many threads. `timeout` is in seconds, for each try; `http` is an `httpx.Client` of your own, which you close.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float | httpx.Timeout = TIMEOUT,
        retries: Retries = DEFAULT_RETRIES,
        http: httpx.Client | None = None,
    ) -> None:
        settings = resolve(url, api_key)
        self.url = settings.url
        own = http or httpx.Client(timeout=timeout)
        self._owned = None if http else own
        self._transport = Blocking(own, settings.url, _headers(settings), retries)

    remember = blocking(operations.remember)
    remember_many = blocking(operations.remember_many)
    submit = blocking(operations.submit)
    recall = blocking(operations.recall)
    context_block = blocking(operations.context_block)
    feedback = blocking(operations.feedback)
    get = blocking(operations.get)
    correct = blocking(operations.correct)
    forget = blocking(operations.forget)
    erase = blocking(operations.erase)
    job = blocking(operations.job)
    wait_for_job = blocking(operations.wait_for_job)
    tools = blocking(operations.tools)
    call_tool = blocking(operations.call_tool)
    status = blocking(operations.status)
    settings = blocking(operations.settings)
    change_settings = blocking(operations.change_settings)
    health = blocking(operations.health)
    memories = iterating(operations.memories)
    jobs = iterating(operations.jobs)

    def ingest(
        self, items: Iterable[str | Item], *, batch_size: int = INLINE, wait: float = 600.0
    ) -> Iterator[Outcome]:
        """Store any number of items, a batch at a time, and yield what became of each, in order. Nothing is sent
        before the first outcome is asked for, and never more than a batch is held.

        An item that the server does not take is an outcome too (`failed`, with a reason). A `batch_size` over 64, up
        to 1,000, makes each batch a job, which is waited for up to `wait` seconds; with 0 the outcomes say `queued`.
        """
        options = IngestOptions(batch_size, wait)
        return self._ingest(items, options)

    def _ingest(self, items: Iterable[str | Item], options: IngestOptions) -> Iterator[Outcome]:
        batches = Batches(options)
        for item in items:
            for batch in batches.add(item):
                yield from self._transport.run(store(batch, options))
        for batch in batches.rest():
            yield from self._transport.run(store(batch, options))

    def close(self) -> None:
        """Close the connections."""
        if self._owned:
            self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncLoci:
    """A memory, from code with an event loop.

        async with AsyncLoci("https://loci.example", "loci_sk_…") as loci:
            await loci.remember("Dana wants summaries by secure message.")
            print(await loci.context_block("how does Dana want summaries?"))

    Arguments and methods are those of `Loci`; `memories`, `jobs` and `ingest` are asynchronous iterators.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float | httpx.Timeout = TIMEOUT,
        retries: Retries = DEFAULT_RETRIES,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        settings = resolve(url, api_key)
        self.url = settings.url
        own = http or httpx.AsyncClient(timeout=timeout)
        self._owned = None if http else own
        self._transport = Awaiting(own, settings.url, _headers(settings), retries)

    remember = awaiting(operations.remember)
    remember_many = awaiting(operations.remember_many)
    submit = awaiting(operations.submit)
    recall = awaiting(operations.recall)
    context_block = awaiting(operations.context_block)
    feedback = awaiting(operations.feedback)
    get = awaiting(operations.get)
    correct = awaiting(operations.correct)
    forget = awaiting(operations.forget)
    erase = awaiting(operations.erase)
    job = awaiting(operations.job)
    wait_for_job = awaiting(operations.wait_for_job)
    tools = awaiting(operations.tools)
    call_tool = awaiting(operations.call_tool)
    status = awaiting(operations.status)
    settings = awaiting(operations.settings)
    change_settings = awaiting(operations.change_settings)
    health = awaiting(operations.health)
    memories = iterating_async(operations.memories)
    jobs = iterating_async(operations.jobs)

    def ingest(
        self,
        items: Iterable[str | Item] | AsyncIterable[str | Item],
        *,
        batch_size: int = INLINE,
        wait: float = 600.0,
    ) -> AsyncIterator[Outcome]:
        """As `Loci.ingest`; `items` may be an asynchronous iterable."""
        options = IngestOptions(batch_size, wait)
        return self._ingest(items, options)

    async def _ingest(
        self, items: Iterable[str | Item] | AsyncIterable[str | Item], options: IngestOptions
    ) -> AsyncIterator[Outcome]:
        batches = Batches(options)
        async for item in _each(items):
            for batch in batches.add(item):
                for outcome in await self._transport.run(store(batch, options)):
                    yield outcome
        for batch in batches.rest():
            for outcome in await self._transport.run(store(batch, options)):
                yield outcome

    async def aclose(self) -> None:
        """Close the connections."""
        if self._owned:
            await self._owned.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


async def _each(items: Iterable[str | Item] | AsyncIterable[str | Item]) -> AsyncIterator[str | Item]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item
