"""The port of the web server: checked before anything starts."""

import os
import socket

from loci.local.errors import CannotRun

HOST = "127.0.0.1"


def chosen() -> int:
    """`$PORT`, or 8000. Raises `CannotRun` when it is no port."""
    text = os.environ.get("PORT") or "8000"
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise CannotRun(f"PORT={text} is no port: it must be a number from 1 to 65535.")
    return int(text)


def demand(port: int) -> None:
    """Raise `CannotRun`, naming a port that is free, when `port` cannot be listened on."""
    try:
        _bind(port)
    except PermissionError:
        raise CannotRun(f"Port {port} needs more rights than you have: PORT=8000 make run") from None
    except OSError:
        raise CannotRun(f"Port {port} is in use by another program: PORT={_next_free(port)} make run") from None


def _next_free(port: int) -> int:
    for other in range(port + 1, min(port + 100, 65536)):
        try:
            _bind(other)
        except OSError:
            continue
        return other
    return 8001


def _bind(port: int) -> None:
    with socket.socket() as probe:
        # as the web server does: connections that are just closing do not count
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((HOST, port))
        probe.listen(1)
