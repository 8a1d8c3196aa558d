"""The processes that a running Loci consists of: started, watched, started anew, stopped."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loci.local.places import ROOT, Places, last_line, open_log, rotate, write_private
from loci.local.postmaster import ticks

PR_SET_PDEATHSIG = 1
LONGEST_PAUSE = 30.0
# a child that lived this long was healthy: its next restart is quick again
HEALTHY_SECONDS = 60.0
STOP_SECONDS = 15.0


def spawn(command: Sequence[str], env: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
    """Start a command in the checkout, in a session of its own, so that Ctrl-C reaches the supervisor only.

    The process is asked to end (SIGTERM) when the supervisor dies, even by kill -9.
    """
    parent = os.getpid()

    def follow_parent() -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:
                os._exit(1)

    with open_log(log) as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=ROOT,
            env=dict(env),
            start_new_session=True,
            # what it writes (schedule, messages, logs) is for its owner only
            umask=0o077,
            preexec_fn=follow_parent,
        )


@dataclass
class Child:
    """A process that should always run. `say` gets a line for each time that it had to be started anew."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    log: Path
    say: Callable[[str], None]
    process: "subprocess.Popen[bytes] | None" = None
    _pause: float = field(default=0.5, init=False)
    _started: float = field(default=0.0, init=False)
    _due: float = field(default=0.0, init=False)
    _log_before: int = field(default=0, init=False)

    def start(self) -> None:
        self._log_before = self.log.stat().st_size if self.log.exists() else 0
        self._started = time.monotonic()
        self.process = spawn(self.command, self.env, self.log)

    def tend(self) -> bool:
        """Start the process anew if it died and its pause (1 s, doubling to 30 s) is over.

        Returns whether it did so.
        """
        now = time.monotonic()
        if self.process is None:
            if now < self._due:
                return False
            self.start()
            return True
        code = self.process.poll()
        if code is None:
            return False
        self._pause = 1.0 if now - self._started > HEALTHY_SECONDS else min(self._pause * 2, LONGEST_PAUSE)
        self._due = now + self._pause
        self.process = None
        self.say(
            f"The {self.name} process ended ({ending(code)}); it starts again in {self._pause:.0f} s. See {self.log}"
        )
        return False

    def reason(self) -> str:
        """What the process last wrote that says what went wrong, and where to read on."""
        return f"{last_line(self.log, of=('Error:',), since=self._log_before)} (log: {self.log})"

    def exit_code(self) -> int | None:
        """The code of a process that ended and was not tended since, or None."""
        return self.process.poll() if self.process else None

    def stop(self, hurried: Callable[[], bool]) -> None:
        """Ask the process to end, wait 15 s (or until `hurried`), then kill its whole group."""
        process, self.process = self.process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        for _ in ticks(STOP_SECONDS):
            if process.poll() is not None or hurried():
                break
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def ending(code: int) -> str:
    """How a process ended, for people."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def record(places: Places, children: Sequence[Child]) -> None:
    """Write down which processes run, for the case that nobody is left to stop them."""
    running = [child.process.pid for child in children if child.process]
    write_private(places.var / "children.json", json.dumps([[pid, _birth(pid)] for pid in running]))


def stop_leftovers(places: Places) -> int:
    """Stop what a killed supervisor left behind; returns how many processes that were."""
    file = places.var / "children.json"
    try:
        recorded = [(int(pid), str(birth)) for pid, birth in json.loads(file.read_text())]
    except (OSError, ValueError, TypeError):
        return 0
    left = [(pid, birth) for pid, birth in recorded if birth and _birth(pid) == birth]
    for way in (signal.SIGTERM, signal.SIGKILL):
        for pid, birth in left:
            if _birth(pid) == birth:
                os.kill(pid, way)
        if any(all(_birth(pid) != birth for pid, birth in left) for _ in ticks(STOP_SECONDS)):
            break
    file.unlink()
    return len(left)


def _birth(pid: int) -> str:
    """When the process started, which tells it from a later one with the same number; "" if it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    # fields 3 (state) and 22 (start in clock ticks since boot) of proc(5)
    return "" if stat[0] == "Z" else stat[19]


def rotate_logs(places: Places, names: Sequence[str]) -> None:
    for name in names:
        rotate(places.log(name))
