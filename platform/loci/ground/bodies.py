"""Bodies as they arrive: one that breaks off, or whose chunks are malformed, is refused and never taken for a whole."""

import socket
from io import RawIOBase
from typing import IO

from django.core.exceptions import BadRequest
from django.http import HttpRequest

from loci.ground.errors import LociError


class BrokenBody(BadRequest):
    """The body is not what its headers say; whoever sent it is the cause."""


class BrokenOff(LociError):
    """What a door tells of a `BrokenBody`."""

    status, code = 400, "body_broken"

    def __init__(self, error: BrokenBody):
        super().__init__(str(error))


class WholeBody(RawIOBase):
    """A stream of `length` bytes; reading past the place where it breaks off raises `BrokenBody`."""

    def __init__(self, stream: IO[bytes], length: int):
        self._stream = stream
        self._left = length

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Up to `size` bytes; fewer only at the end."""
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        return self._taken(received(self._stream, wanted), wanted)

    def readline(self, size: int | None = -1, /) -> bytes:
        """A line, or up to `size` bytes of it."""
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        try:
            line = self._stream.readline(wanted) if wanted else b""
        except Exception as error:
            raise _broken(error) from error
        return self._taken(line, len(line) if line.endswith(b"\n") else wanted)

    def _taken(self, data: bytes, wanted: int) -> bytes:
        self._left -= len(data)
        if len(data) < wanted:
            raise BrokenBody(f"The body ends {self._left} bytes before its Content-Length: send all of it.")
        return data


def received(stream: IO[bytes], size: int) -> bytes:
    """Up to `size` bytes of what a peer sends; `BrokenBody` when that is malformed or the connection fails."""
    try:
        return stream.read(size) if size else b""
    except Exception as error:  # servers have classes of their own for what a peer did wrong
        raise _broken(error) from error


def _broken(error: Exception) -> BrokenBody:
    if isinstance(error, BrokenBody):
        return error
    return BrokenBody("The body broke off or its chunks are malformed: send it anew, best with a Content-Length.")


def read_no_further(request: HttpRequest) -> None:
    """Have the server close the connection after its answer: where the next request would begin cannot be told."""
    connection = request.META.get("gunicorn.socket")
    if isinstance(connection, socket.socket):
        try:
            connection.shutdown(socket.SHUT_RD)
        except OSError:  # the peer has gone
            pass
