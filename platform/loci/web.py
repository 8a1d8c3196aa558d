"""The web server: `python -m loci.web`, or `loci-server web`. Where it listens comes from the environment.

`HOST` (127.0.0.1), `PORT` (8000), `WEB_WORKERS` (1) processes of `WEB_THREADS` threads each. Behind a proxy,
`FORWARDED_ALLOW_IPS` names the addresses whose `X-Forwarded-*` headers are believed (127.0.0.1).
"""

import os

import uvicorn

KEEP_ALIVE = 75
"""Seconds that an idle connection stays open: longer than what proxies keep theirs, so that it is they who close."""
GRACE = 10
"""Seconds that requests under way have when the server is asked to stop."""
CONNECTIONS = 1024
"""Connections and waiting requests of a process; beyond, a client is told to come back."""


def main() -> None:
    """Serve until told to stop."""
    uvicorn.run(
        "loci.asgi:application",
        host=os.environ.get("HOST") or "127.0.0.1",
        port=int(os.environ.get("PORT") or 8000),
        workers=int(os.environ.get("WEB_WORKERS") or 1),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
        limit_concurrency=CONNECTIONS,
    )


if __name__ == "__main__":
    main()
