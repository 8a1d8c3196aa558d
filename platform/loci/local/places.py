"""Where things are: the checkout, and the folder for all that a running Loci writes."""

import errno
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from loci.local.errors import CannotRun

ROOT = Path(__file__).resolve().parents[3]
ROTATE_BYTES = 5 * 1024 * 1024
MB = 1024 * 1024
PRIVATE = 0o700
"""The mode of folders that are for their owner only. `var/` itself stays open: PostgreSQL's own user passes through."""


def var_folder() -> Path:
    """`$LOCI_VAR`, or `var/` in the checkout."""
    return Path(os.environ.get("LOCI_VAR") or ROOT / "var").absolute()


@dataclass(frozen=True)
class Places:
    """The files of one running Loci, all below one folder."""

    var: Path

    @property
    def env_file(self) -> Path:
        return self.var / "loci.env"

    @property
    def demo_file(self) -> Path:
        return self.var / "demo.json"

    @property
    def broker(self) -> Path:
        return self.var / "broker"

    def log(self, name: str) -> Path:
        """The log of one child, in a folder that is made when it is missing."""
        folder = self.var / "log"
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(PRIVATE)
        return folder / f"{name}.log"

    def prepare(self) -> None:
        """Make the folder. Raises `CannotRun` when it cannot be written to."""
        probe = self.var / ".writable"
        try:
            self.var.mkdir(parents=True, exist_ok=True)
            probe.write_text("x")
            probe.unlink()
            for name in ("broker", "static", "log"):
                (self.var / name).mkdir(exist_ok=True)
                # also one that an earlier version left open
                (self.var / name).chmod(PRIVATE)
        except OSError as error:
            raise CannotRun(explained(error, self.var)) from error


def explained(error: OSError, path: Path) -> str:
    """One line about an operating-system error that happened while writing below `path`."""
    where = error.filename or path
    if error.errno == errno.ENOSPC:
        return f"The disk is full: {where}. Free some space and start again."
    reason = error.strerror or error
    return f"Loci cannot write to {where}: {reason}. It keeps its data there; LOCI_VAR=/folder chooses another place."


def demand_space(folder: Path, megabytes: int) -> None:
    """Raise `CannotRun` when fewer than `megabytes` MB are free where `folder` lies."""
    free = shutil.disk_usage(folder).free // MB
    if free < megabytes:
        raise CannotRun(f"The disk is full: {folder} has {free} MB free, a new database needs {megabytes} MB.")


def write_private(path: Path, text: str) -> None:
    """Replace `path` in one step with a file that only its owner may read."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    draft.replace(path)


def open_log(path: Path) -> BinaryIO:
    """A log opened for appending that only its owner may read: a failed statement can show in it."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")


def rotate(log: Path) -> None:
    """Put a log of more than 5 MB aside as `.1`, replacing the one put aside before."""
    if log.is_file() and log.stat().st_size > ROTATE_BYTES:
        log.replace(log.with_name(log.name + ".1"))


def last_line(log: Path, *, of: tuple[str, ...] = (), since: int = 0) -> str:
    """The last line of a log that is not empty, preferably one that contains a word of `of`.

    Only what was written after the first `since` bytes counts, and of that the last 20 kB.
    """
    if not log.is_file():
        return "(nothing in the log)"
    with log.open("rb") as file:
        file.seek(max(since, log.stat().st_size - 20_000))
        lines = [line.strip() for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if any(word in line for word in of)]
    return (telling or lines or ["(nothing in the log)"])[-1]
