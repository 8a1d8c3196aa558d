"""The running server of a data directory: found by its pid file, told apart from zombies and strangers."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PORT = 5432
# the longest path of a Unix socket in bytes, less "/.s.PGSQL.5432"
LONGEST_SOCKET_FOLDER = 107 - len(f"/.s.PGSQL.{PORT}")


@dataclass(frozen=True)
class Postmaster:
    """What the pid file of a live server says."""

    pid: int
    socket_folder: Path
    status: str


def find(data: Path) -> Postmaster | None:
    """The live server of this data directory, whoever started it, or None."""
    try:
        lines = [line.strip() for line in (data / "postmaster.pid").read_text().splitlines()]
        pid = int(lines[0])
    except (OSError, ValueError, IndexError):
        return None
    if not _serves(pid, data):
        return None
    lines += [""] * (8 - len(lines))
    return Postmaster(pid, Path(lines[4]), lines[7])


def _serves(pid: int, data: Path) -> bool:
    """Whether the process lives and works in `data`. A zombie and a pid used anew do not."""
    if not Path("/proc/self/cwd").exists():
        return _lives(pid)
    try:
        return Path(f"/proc/{pid}/cwd").samefile(data)
    except PermissionError:
        return _lives(pid)
    except OSError:
        return False


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def stop(data: Path, *, timeout: float = 30.0) -> bool:
    """Stop the server and wait until it is gone, at most `timeout` seconds; then less gently.

    Returns whether a server was running. Raises PermissionError when it belongs to another user.
    """
    server = find(data)
    if server is None:
        return False
    # fast: sessions are rolled back; immediate: the next start recovers from the log
    for way in (signal.SIGINT, signal.SIGQUIT):
        try:
            os.kill(server.pid, way)
        except ProcessLookupError:
            break
        if any(find(data) is None for _ in ticks(timeout)):
            break
    return True


def ticks(seconds: float, *, every: float = 0.05) -> Iterator[float]:
    """The time left, again and again, pausing in between, until `seconds` are over."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        yield left
        time.sleep(every)
