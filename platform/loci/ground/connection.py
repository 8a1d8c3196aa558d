"""A client's connection: what it may cost before there is a request."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 64 * 1024
"""The request line and all headers of a request."""
HEAD_SECONDS = 20.0
"""How long they may take to arrive, from the connection's or the request's beginning."""


class Connection(HttpToolsProtocol):
    """uvicorn's, with a limit on size and time of a request's head: else a connection could stay silent, or send
    headers without end."""

    _reading_head = True
    _head_bytes = 0
    _named_bytes = 0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The first head is awaited from now on."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        self._head_is_done()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take it in, unless the head grows too large."""
        self._head_bytes += len(data)
        super().data_received(data)
        if self._reading_head and self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The request's headers are too large.")

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._named_bytes = 0
        self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Raises ValueError, which the parser makes a 400 of, for too much of them."""
        self._named_bytes += len(name) + len(value)
        if self._named_bytes > HEAD_BYTES:
            raise ValueError("the request's headers are too large")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """What follows is the body."""
        self._head_is_done()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._head_is_done()
        self._reading_head = True
        self._deadline = self.loop.call_later(HEAD_SECONDS, self._too_late)

    def _head_is_done(self) -> None:
        self._reading_head, self._head_bytes = False, 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
