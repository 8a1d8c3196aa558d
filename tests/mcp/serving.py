"""Loci in processes of its own, at the test run's database."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from django.db import connections

from tests.local.running import ROOT, free_port, wait_for

STOP_SECONDS = 20
ESTABLISHED = "01"  # a connection's state in /proc/net/tcp


class Crowd:
    """The web server of production with several workers; what it prints is in `output`."""

    def __init__(self, workers: int) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._screen, name = tempfile.mkstemp(prefix="loci-server-")
        Path(name).unlink()
        facts = {"BIND": f"127.0.0.1:{self.port}", "WEB_WORKERS": str(workers)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "loci.web"], cwd=ROOT, env={**os.environ, **_database(), **facts},
            stdin=subprocess.DEVNULL, stdout=self._screen, stderr=self._screen,
        )  # fmt: skip

    @property
    def output(self) -> str:
        # pread: the file position is shared with the process that writes
        return os.pread(self._screen, 1_000_000, 0).decode(errors="replace")

    def workers(self) -> list[int]:
        """The pids of the processes that answer."""
        listing = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        # multiprocessing's resource tracker is a child too
        return [int(pid) for pid in listing.split() if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def clients(self, worker: int) -> int:
        """How many connections a worker holds just now."""
        ours = f":{self.port:04X}"
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        sockets = {f"socket:[{line[9]}]" for line in lines if line[1].endswith(ours) and line[3] == ESTABLISHED}
        return len(sockets & {str(path.readlink()) for path in Path(f"/proc/{worker}/fd").iterdir()})

    def end(self) -> None:
        """Stop it and all its workers."""
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._screen)


@contextmanager
def crowd_of(workers: int) -> Iterator[Crowd]:
    """A running Loci of several processes, once all of them are there and one answers."""
    crowd = Crowd(workers)
    try:
        wait_for(lambda: crowd.process.poll() is not None or _answers(crowd.url + "/healthz"), seconds=180)
        assert crowd.process.poll() is None, crowd.output
        wait_for(lambda: len(crowd.workers()) == workers)
        yield crowd
    finally:
        crowd.end()


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code < 500
    except httpx.HTTPError:
        return False


def _database() -> dict[str, str]:
    """The addresses of the database that pytest-django made for this run."""
    aliases = {"DATABASE_URL": "default", "DATABASE_OWNER_URL": "owner"}
    return {
        variable: f"{os.environ[variable].rpartition('/')[0]}/{connections[alias].settings_dict['NAME']}"
        for variable, alias in aliases.items()
    }
