"""One ASGI application out of a synchronous one and asynchronous doors, by path."""

import sys
import tempfile
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import IO, Any, Protocol

import anyio
from a2wsgi import WSGIMiddleware

Asgi = dict[str, Any]
IN_MEMORY = 1024 * 1024
"""Bytes of a body that are kept in memory; a larger one waits on disk."""
PATIENCE = 120.0
"""Seconds that a body may take to arrive."""


class Door(Protocol):
    """An ASGI application with a life of its own."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Entered before the first request, left after the last."""
        ...

    async def __call__(self, asgi: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        ...


class Gateway:
    """Hands a request whose path is one of `doors` to that door, and every other to `wsgi`, in one of `threads`.

    A body, of `limit` bytes at most, is received whole before a thread is taken, so that a client that sends slowly
    holds up nobody.
    """

    def __init__(self, wsgi: Any, doors: Mapping[str, Door], *, threads: int, limit: int):
        self._wsgi: Any = WSGIMiddleware(_whole(wsgi), workers=threads)
        self._limit = limit
        self._doors = doors

    async def __call__(self, asgi: Any, receive: Any, send: Any) -> None:
        """Serve one request, or the life of the server."""
        if asgi["type"] == "lifespan":
            await self._live(receive, send)
            return
        if asgi["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        door = self._doors.get(asgi["path"].rstrip("/") or "/")
        if door is not None:
            await door(asgi, receive, send)
        else:
            await self._synchronous(asgi, receive, send)

    async def _live(self, receive: Any, send: Any) -> None:
        async with AsyncExitStack() as stack:
            await receive()
            try:
                for door in self._doors.values():
                    await stack.enter_async_context(door.running())
            except Exception as error:
                await send({"type": "lifespan.startup.failed", "message": f"{type(error).__name__}: {error}"})
                raise
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _synchronous(self, asgi: Any, receive: Any, send: Any) -> None:
        asgi = _tidy(asgi)
        said = _header(asgi, b"content-length")
        if said.isdigit() and int(said) > self._limit:  # refused by what it says of itself; nothing of it is read
            await self._wsgi(asgi, _nothing, send)
            return
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as body:
            with anyio.move_on_after(PATIENCE) as patience:
                if not await _received(receive, body, self._limit):
                    return
            if patience.cancelled_caught:
                await _too_slow(send)
                return
            body.seek(0)
            await self._wsgi(asgi, _replay(body), send)


def _tidy(asgi: Asgi) -> Asgi:
    """The request as WSGI can tell it: a header whose name has an underscore could pass for one with a hyphen."""
    return {**asgi, "headers": [(name, value) for name, value in asgi["headers"] if b"_" not in name]}


def _header(asgi: Asgi, wanted: bytes) -> bytes:
    return next((value for name, value in asgi["headers"] if name == wanted), b"")


async def _received(receive: Any, body: IO[bytes], limit: int) -> bool:
    """Read what is sent into `body`, one byte over the limit at most; False when the client hung up."""
    size = 0
    while size <= limit:
        message = await receive()
        if message["type"] == "http.disconnect":
            return False
        chunk = message.get("body", b"")[: limit + 1 - size]
        if chunk:
            body.write(chunk)
            size += len(chunk)
        if not message.get("more_body"):
            break
    return True


def _replay(body: IO[bytes]) -> Any:
    """A `receive` that gives what was received."""

    async def replayed() -> dict[str, Any]:
        chunk = body.read(IN_MEMORY)
        return {"type": "http.request", "body": chunk, "more_body": len(chunk) == IN_MEMORY}

    return replayed


async def _nothing() -> Any:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _too_slow(send: Any) -> None:
    text = f"The request did not arrive within {PATIENCE:g} s.".encode()
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 408, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def _whole(wsgi: Any) -> Any:
    """`wsgi`, told that its input ends by itself, as the body of a request without a length does here."""

    def application(environ: dict[str, Any], start_response: Any) -> Any:
        environ["wsgi.input_terminated"] = True
        environ["wsgi.errors"] = sys.stderr
        return wsgi(environ, start_response)

    return application
