"""Restore a backup: into an empty database, or in place of what is there when that is asked for by name."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import psycopg
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from loci.backups.contents import Contents, Migrations, look_into, selection
from loci.backups.dump import owner_programs
from loci.backups.errors import BackupError
from loci.backups.programs import Programs
from loci.ground import libpq

LOCK_WAIT = "15s"
Session = psycopg.Connection[tuple[Any, ...]]
TABLES = """
SELECT count(*) FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
    AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')
"""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored: how many tables, and the migrations that this release has beyond the backup's."""

    tables: int
    left: tuple[str, ...]


def restore(file: Path, *, replace: bool = False) -> Restored:
    """Restore `file` into the owner's database in one transaction. Everything that can be is looked at before.

    `replace` drops what the owner has there. Raises BackupError.
    """
    if not file.is_file():
        raise BackupError(f"There is no file {file}.")
    programs = owner_programs()
    contents = look_into(programs, file)
    left = _fits(contents)
    # reads and decompresses every row: a damaged dump is found out before anything is dropped
    programs.run("pg_restore", "--file=-", file, output=subprocess.DEVNULL)
    with libpq.connect("owner") as session:
        _make_room(session, replace=replace)
        _demand_extensions(session, contents)
    _fill(programs, file, contents)
    with libpq.connect("owner") as session:
        _close_to_others(session)
        session.execute("ANALYZE")
    return Restored(len(contents.tables), left)


def _fits(contents: Contents) -> tuple[str, ...]:
    """The migrations that are left afterwards. Raises BackupError when this release or its roles are not the dump's."""
    known: Migrations = frozenset(MigrationLoader(None).disk_migrations)
    newer = sorted(f"{app}.{name}" for app, name in contents.migrations - known)
    if newer:
        raise BackupError(
            f"The backup is of a newer Loci than this one: it has the migration {newer[-1]}. Restore it with that one."
        )
    owner, app = (str(libpq.parameters(alias)["user"]) for alias in ("owner", "default"))
    if contents.owner and (contents.owner, contents.app) != (owner, app):
        raise BackupError(
            f"The backup speaks of the roles {contents.owner} and {contents.app}, but DATABASE_OWNER_URL and"
            f" DATABASE_URL name {owner} and {app}: the names must be the same."
        )
    return tuple(sorted(f"{app}.{name}" for app, name in known - contents.migrations))


def _make_room(session: Session, *, replace: bool) -> None:
    (tables,) = session.execute(TABLES).fetchone() or (0,)
    if not tables:
        return
    if not replace:
        raise BackupError(
            f"The database {session.info.dbname} is not empty: it has {tables} tables. Restore into a new one, or"
            " give --replace, which drops all that is there."
        )
    session.execute(sql.SQL("SET lock_timeout = {}").format(sql.Literal(LOCK_WAIT)))
    try:
        session.execute("DROP OWNED BY CURRENT_USER CASCADE")
    except psycopg.errors.LockNotAvailable:
        raise BackupError("Something still uses the database: stop web, worker and beat first.") from None
    if (session.execute(TABLES).fetchone() or (0,))[0]:
        raise BackupError(f"Tables of another role than {session.info.user} are left: drop them as that role.")


def _demand_extensions(session: Session, contents: Contents) -> None:
    """Make the extensions that are lacking, where the owner may; raises BackupError where it may not."""
    for name in sorted(contents.extensions - {"plpgsql"}):
        try:
            session.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS {}").format(sql.Identifier(name)))
        except psycopg.Error:
            raise BackupError(
                f"The database lacks the extension {name}: as a superuser in {session.info.dbname},"
                f" CREATE EXTENSION {name};"
            ) from None


def _fill(programs: Programs, file: Path, contents: Contents) -> None:
    with NamedTemporaryFile("w", prefix="loci-list-") as chosen:
        chosen.write(selection(contents.ours()))
        chosen.flush()
        programs.run(
            "pg_restore",
            "--single-transaction",
            "--exit-on-error",
            "--no-owner",
            f"--use-list={chosen.name}",
            f"--dbname={programs.address()}",
            file,
        )


def _close_to_others(session: Session) -> None:
    """Only the owner and the application may connect: rights on the database itself are in no dump."""
    database = sql.Identifier(session.info.dbname)
    app = sql.Identifier(connections["default"].settings_dict["USER"])
    session.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
    session.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, app))
