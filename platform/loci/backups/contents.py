"""What is in a dump, told without restoring it: its tables, its extensions, its schema's version, its roles."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from loci.backups.errors import BackupError
from loci.backups.programs import Programs

Migrations = frozenset[tuple[str, str]]
_ENTRY = re.compile(r"(?P<number>\d+); \d+ \d+ (?P<what>.+)")
_GRANT = re.compile(r"ALTER DEFAULT PRIVILEGES FOR ROLE (\S+) IN SCHEMA public GRANT .* TO (\S+);")
# made beforehand by a superuser, and for the owner neither to make nor to comment on
_NOT_OURS = re.compile(r"(EXTENSION - |COMMENT - EXTENSION |SCHEMA - public |COMMENT - SCHEMA )")


@dataclass(frozen=True, slots=True)
class Contents:
    """`entries` are the lines of the dump's own list; `owner` and `app` the roles that it speaks of."""

    entries: tuple[str, ...]
    migrations: Migrations
    owner: str
    app: str

    @property
    def tables(self) -> frozenset[str]:
        """The tables whose rows are in it."""
        return frozenset(self._named("TABLE DATA public "))

    @property
    def extensions(self) -> frozenset[str]:
        """The extensions that the database had."""
        return frozenset(self._named("EXTENSION - "))

    def ours(self) -> list[str]:
        """The entries that the owner restores."""
        return [line for line in self.entries if not _NOT_OURS.match(_what(line))]

    def _named(self, kind: str) -> Iterable[str]:
        found = (_what(line) for line in self.entries)
        return (what.removeprefix(kind).split(" ")[0] for what in found if what.startswith(kind))


def look_into(programs: Programs, file: Path) -> Contents:
    """Read a dump's list, its migrations and its roles. Raises BackupError when it is none, or none of Loci's."""
    listed = programs.run("pg_restore", "--list", file)
    entries = tuple(line for line in listed.splitlines() if _ENTRY.match(line))
    if not any(_what(line).startswith("TABLE DATA public django_migrations") for line in entries):
        raise BackupError(f"{file} is a dump, but not one of Loci: it has no table django_migrations.")
    copied = programs.run("pg_restore", "--data-only", "--table=django_migrations", "--file=-", file)
    owner, app = _roles(_script(programs, file, [line for line in entries if _what(line).startswith("DEFAULT ACL")]))
    return Contents(entries, _migrations(copied), owner, app)


def selection(entries: Iterable[str]) -> str:
    """A list as `pg_restore --use-list` reads it."""
    return "\n".join(entries) + "\n"


def _what(line: str) -> str:
    match = _ENTRY.match(line)
    return match["what"] if match else ""


def _script(programs: Programs, file: Path, entries: list[str]) -> str:
    """The SQL of some entries."""
    with NamedTemporaryFile("w", prefix="loci-list-") as chosen:
        chosen.write(selection(entries))
        chosen.flush()
        return programs.run("pg_restore", f"--use-list={chosen.name}", "--file=-", file) if entries else ""


def _roles(script: str) -> tuple[str, str]:
    """Who grants by default, and to whom; empty when the dump does not say."""
    match = _GRANT.search(script)
    return (match[1].strip('"'), match[2].strip('"')) if match else ("", "")


def _migrations(copied: str) -> Migrations:
    """App and name of the rows of a COPY of django_migrations."""
    rows, inside, columns = set(), False, [""]
    for line in copied.splitlines():
        if line.startswith("COPY public.django_migrations"):
            inside, columns = True, [name.strip() for name in line[line.index("(") + 1 : line.index(")")].split(",")]
        elif line == "\\.":
            inside = False
        elif inside:
            row = dict(zip(columns, line.split("\t"), strict=False))
            rows.add((row["app"], row["name"]))
    return frozenset(rows)
