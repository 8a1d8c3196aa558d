"""Make a backup: dump beside the target, look through it, then put it in place in one step."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from django.apps import apps

from loci.backups.contents import Contents, look_into
from loci.backups.errors import BackupError
from loci.backups.programs import Programs, find_programs
from loci.ground import libpq

LOCK_WAIT = "60s"
PATTERN = "loci-*.dump"
PRIVATE = 0o600


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that is in place."""

    file: Path
    size: int
    tables: int
    removed: tuple[Path, ...] = ()


def back_up(target: Path, *, overwrite: bool = False, keep: int | None = None) -> Backup:
    """Dump the database as its owner into `target`, or into a file named by the time when `target` is a folder.

    With `keep`, only that many of the folder's backups stay. Raises BackupError; then nothing is left behind.
    """
    folder = target.is_dir()
    if keep is not None and not folder:
        raise BackupError(f"--keep goes with a folder that holds the backups, but {target} is none.")
    file = target / f"loci-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.dump" if folder else target
    if file.exists() and not overwrite:
        raise BackupError(f"{file} exists: name another file, or give --overwrite.")
    programs = owner_programs()
    with _draft(file) as draft:
        # it is there already and nobody else's to read; pg_dump writes it to the disk (fsync)
        programs.run(
            "pg_dump",
            "--format=custom",
            f"--lock-wait-timeout={LOCK_WAIT}",
            f"--file={draft}",
            f"--dbname={programs.address()}",
        )
        tables = _verified(look_into(programs, draft))
        draft.replace(file)
    _sync(file.parent)
    removed = _thinned(target, keep) if keep is not None else ()
    return Backup(file, file.stat().st_size, tables, removed)


def owner_programs() -> Programs:
    """The programs for the database as its owner. Raises BackupError when the owner does not get in."""
    parameters = libpq.parameters("owner")
    if parameters.get("user") == libpq.parameters("default").get("user"):
        raise BackupError("DATABASE_OWNER_URL is not set: the application's role sees no tenant's rows.")
    try:
        with libpq.connect("owner") as session:
            major = session.info.server_version // 10000
    except psycopg.OperationalError as error:
        raise BackupError(f"The owner does not get in (DATABASE_OWNER_URL): {libpq.reason(error)}") from None
    return find_programs(major, parameters)


@contextlib.contextmanager
def _draft(file: Path) -> Iterator[Path]:
    """An empty file beside `file` that only we may read; gone at the end unless it was moved away."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
    except OSError as error:
        raise BackupError(f"{file} cannot be written: {error.strerror}.") from None
    try:
        yield draft
    except OSError as error:
        raise BackupError(f"{file} could not be written: {error.strerror}.") from None
    finally:
        draft.unlink(missing_ok=True)


def _verified(contents: Contents) -> int:
    """How many tables are in it. Raises BackupError when one of this release's is not."""
    wanted = {model._meta.db_table for model in apps.get_models(include_auto_created=True) if model._meta.managed}
    lacking = sorted(wanted - contents.tables)
    if lacking:
        raise BackupError(
            f"The dump lacks {', '.join(lacking[:3])}{' and more' if len(lacking) > 3 else ''}:"
            " bring the schema up to date (manage.py migrate --database=owner) and back up again."
        )
    return len(contents.tables)


def _thinned(folder: Path, keep: int) -> tuple[Path, ...]:
    """Remove all but the newest `keep` backups; those removed. Their names sort by time."""
    old = sorted(folder.glob(PATTERN))[:-keep]
    for file in old:
        file.unlink()
    return tuple(old)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
