"""A Loci started the way `make run` starts it, in a folder and on a port of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# of the test run's own settings, none may reach the Loci under test
OURS = ("DATABASE_", "LOCI_", "SECRET_KEY", "KEY_PEPPERS", "ENCRYPTION_KEYS", "METRICS_TOKEN", "CELERY_", "DJANGO_")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


def wait_for(condition: Callable[[], Any], *, seconds: float = 60.0) -> Any:
    """The first true value of `condition`. Raises AssertionError when there is none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.1)
    raise AssertionError(f"still not so after {seconds:.0f} s: {condition}")


class Running:
    """One supervisor process; what it prints is in `output`."""

    def __init__(self, var: Path, port: int | str, **settings: str) -> None:
        self.var = var
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self._screen, name = tempfile.mkstemp(prefix="loci-screen-")
        Path(name).unlink()
        env = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        env |= {"LOCI_VAR": str(var), "PORT": str(port), "PYTHONPATH": str(ROOT / "platform"), **settings}
        self.env = env
        self.process = subprocess.Popen(
            [sys.executable, "-m", "loci.local", "run"],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=self._screen,
            stderr=self._screen,
            start_new_session=True,
        )

    @property
    def output(self) -> str:
        # pread: the file position is shared with the process that writes
        return os.pread(self._screen, 1_000_000, 0).decode()

    def wait_started(self) -> "Running":
        wait_for(lambda: "Ctrl-C stops everything" in self.output or self.process.poll() is not None, seconds=120)
        assert self.process.poll() is None, self.output
        return self

    def end(self, number: int = signal.SIGTERM) -> int:
        """Signal the supervisor and return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def command(self, name: str) -> "subprocess.CompletedProcess[str]":
        """Run `python -m loci.local NAME` on the same folder."""
        return subprocess.run(
            [sys.executable, "-m", "loci.local", name],
            cwd=ROOT, env=self.env, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def manage(self, *arguments: str) -> str:
        """What a management command beside it prints."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self.env, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip

    def raw(self, request: bytes, *, hang_up: bool = True) -> bytes:
        """What comes back for bytes until the server closes the connection. `hang_up`: it is told that no more come."""
        with socket.create_connection(("127.0.0.1", int(self.port)), timeout=30) as connection:
            connection.sendall(request)
            if hang_up:
                connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def get(self, path: str) -> int:
        """The status code of a GET; 0 when nobody answers."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(self.url + path, timeout=5) as response:
                code: int = response.status
                return code
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def demo(self) -> dict[str, str]:
        facts: dict[str, str] = json.loads((self.var / "demo.json").read_text())
        return facts

    def children(self) -> list[int]:
        """The pids of web, worker and beat."""
        return [pid for pid, _ in json.loads((self.var / "children.json").read_text())]

    def postmaster(self) -> int:
        """The pid of the database server; 0 while there is none: its file comes and goes with it."""
        try:
            return int((self.var / "pg" / "data" / "postmaster.pid").read_text().partition("\n")[0] or 0)
        except FileNotFoundError:
            return 0


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
