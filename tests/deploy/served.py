"""Loci's own processes as a deployment starts them, asked over HTTP."""

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.local.running import ROOT, free_port, wait_for

LOCAL: dict[str, str | None] = {"PUBLIC_URL": None, "ALLOWED_HOSTS": None, "BEHIND_PROXY": None}
"""Changes of an environment that make it this machine's only, so that it can be asked without TLS."""
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@contextmanager
def process(env: dict[str, str], name: str, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """`python -m loci.serve NAME`, ended by the signal that a container or systemd sends."""
    with log.open("ab") as output:
        started = subprocess.Popen(
            [sys.executable, "-m", "loci.serve", name], cwd=ROOT, env=env, stdout=output, stderr=output
        )
    try:
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        try:
            started.wait(timeout=30)
        finally:
            started.kill()
            started.wait()


@contextmanager
def web(env: dict[str, str], log: Path) -> Iterator[str]:
    """The web server on a free port, once it is there; its address."""
    port = free_port()
    with process({**env, "BIND": f"127.0.0.1:{port}"}, "web", log) as started:
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: started.poll() is not None or _there(url), seconds=60)
        assert started.poll() is None, log.read_text()
        yield url


def _there(url: str) -> bool:
    try:
        DIRECT.open(url, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def ask(url: str, key: str, path: str, body: Any = None) -> Any:
    """The JSON that a door answers."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    with DIRECT.open(urllib.request.Request(f"{url}{path}", data, headers), timeout=30) as response:
        return json.load(response)
