"""A reverse proxy that adds one header to each request, for clients that cannot send any.

It copies bytes: what the client sends and what the server streams arrive as they are, but for the added line and for
`Connection: close`, which leaves one request to a connection. Heads, connections and silence are bounded.
"""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, Self
from urllib.parse import urlsplit

HEAD_BYTES = 64 * 1024
CONNECTIONS = 64
SILENCE_SECONDS = 60
PIECE = 64 * 1024
END = b"\r\n\r\n"


class HeaderProxy:
    """Serves on a port of its own, from a thread of its own, for as long as the block lasts."""

    def __init__(self, target: str, header: str, value: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._path = parts.path
        self._added = f"{header}: {value}\r\nConnection: close".encode()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="header-proxy")
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = self._await(asyncio.start_server(self._serve, "127.0.0.1", 0, limit=HEAD_BYTES))
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}{self._path}"
        return self

    def __exit__(self, *_: object) -> None:
        self._await(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _await(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(SILENCE_SECONDS)

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if len(self._tasks) > CONNECTIONS:
                writer.write(b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0" + END)
            else:
                await self._forward(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass  # one side hung up, said too much or nothing: the other is hung up on
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await asyncio.wait_for(reader.readuntil(END), SILENCE_SECONDS)).removesuffix(END)
        kept = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        upstream, to_server = await asyncio.open_connection(*self._target)
        ways = []
        try:
            to_server.write(b"\r\n".join([*kept, self._added]) + END)
            # whichever side ends first, the exchange is over: no client of HTTP hangs up half
            ways = [asyncio.create_task(_copy(reader, to_server)), asyncio.create_task(_copy(upstream, writer))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            to_server.close()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while piece := await asyncio.wait_for(source.read(PIECE), SILENCE_SECONDS):
        sink.write(piece)
        await sink.drain()
