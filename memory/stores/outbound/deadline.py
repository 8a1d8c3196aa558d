"""A deadline for a whole exchange: connecting, the head of the answer and its body.

Time-outs of httpx are for each read, so that a server which sends a byte now and then could hold a call for ever. Here
no read and no write takes longer than what is left until the deadline.
"""

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

_SLICE = 16 * 1024
"""Bytes of a request that are written between two looks at the clock."""
_ends: ContextVar[float] = ContextVar("outbound_ends", default=math.inf)


@contextmanager
def ends_within(seconds: float) -> Iterator[None]:
    """What bound clients exchange in here, in this thread, is over after `seconds`, or httpx's time-outs are raised."""
    token = _ends.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ends.reset(token)


def bind(transport: httpx.HTTPTransport) -> None:
    """Make `transport` keep to `ends_within`. httpx has no argument for it; httpcore, which it is made of, has."""
    pool: Any = transport._pool
    pool._network_backend = _Network(pool._network_backend)


def bind_client(client: httpx.Client) -> None:
    """`bind` the transports of `client`, those to proxies of the environment too."""
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx.HTTPTransport):
            bind(transport)


def _left(timeout: float | None, late: type[Exception]) -> float | None:
    left = _ends.get() - time.monotonic()
    if left <= 0:
        raise late("the deadline is over")
    shorter = left if timeout is None else min(timeout, left)
    return None if math.isinf(shorter) else shorter


class _Network(httpcore.NetworkBackend):
    def __init__(self, inner: httpcore.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.connect_tcp(host, port, left, local_address, socket_options))


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # a reader that drips counts as well: the time-out is for each part that the network takes
        for start in range(0, len(buffer), _SLICE):
            self._inner.write(buffer[start : start + _SLICE], _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
