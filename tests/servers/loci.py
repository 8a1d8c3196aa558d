"""Loci itself, served as it is in production: uvicorn over its ASGI application, on a port of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from loci.ground.connection import Connection


class Server(uvicorn.Server):
    """Sets `listening` once it does."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@contextmanager
def served(application: Any) -> Iterator[str]:
    """The address of `application` while the block runs."""
    server = Server(
        uvicorn.Config(application, host="127.0.0.1", port=0, http=Connection, log_config=None, lifespan="on")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert server.listening.wait(30), "the server did not start"
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(30)
