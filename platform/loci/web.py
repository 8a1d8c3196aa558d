"""The web server: uvicorn over `loci.asgi`, by BIND, WEB_WORKERS, WEB_THREADS and MCP_THREADS."""

import os

import uvicorn

from loci.ground.connection import Connection

KEEP_ALIVE = 75
"""Seconds that an idle connection stays open: longer than proxies keep theirs, so that it is they who close."""
GRACE = 10
"""Seconds that requests under way have when the server is asked to stop."""
CONNECTIONS = 1024
"""Connections and waiting requests of a process; beyond, a client is told to come back."""


def main() -> None:
    """Serve until told to stop."""
    host, _, port = (os.environ.get("BIND") or "127.0.0.1:8000").rpartition(":")
    uvicorn.run(
        "loci.asgi:application",
        host=host.strip("[]"),
        port=int(port),
        workers=int(os.environ.get("WEB_WORKERS") or 1),
        http=Connection,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        # whether a proxy's word counts is for Loci to say (BEHIND_PROXY), not for the peer's address
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
        limit_concurrency=CONNECTIONS,
    )


if __name__ == "__main__":
    main()
