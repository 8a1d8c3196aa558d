"""A cluster for tests and checks, shared by all that run at once in one checkout; the last one stops it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from loci.local.errors import CannotRun
from loci.local.places import ROOT
from loci.local.postgres import APP, OWNER, Cluster

SLOTS = 32
# fixed, so that a failing test fails the same way again; they protect nothing
TEST_SECRETS = {
    "SECRET_KEY": "test-secret-key-that-protects-nothing-at-all-0123456789",
    "KEY_PEPPERS": "p1:test-pepper-that-protects-nothing",
    "ENCRYPTION_KEYS": "dGVzdC1mZXJuZXQta2V5LXByb3RlY3RzLW5vdGhpbmc=",
    "METRICS_TOKEN": "test-metrics-token",
}
NO_DATABASE = "postgres://nobody@//nonexistent/none"


def environment(var: Path, database_url: str, owner_url: str) -> dict[str, str]:
    """The whole configuration of a test run; nothing is read from `var/loci.env`."""
    return {
        **TEST_SECRETS,
        "DJANGO_SETTINGS_MODULE": "loci.settings",
        "LOCI_VAR": str(var),
        "LOCI_ENV_FILE": "/nonexistent",
        "DATABASE_URL": database_url,
        "DATABASE_OWNER_URL": owner_url,
        # each process and each thread of a test takes connections from the same hundred
        "DATABASE_POOL_SIZE": "8",
        "CELERY_BROKER_FOLDER": str(var / "broker"),
        "EMBEDDER": "static",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")]),
    }


@contextmanager
def throwaway(var: Path) -> Iterator[dict[str, str]]:
    """The environment of a running test cluster with a database of one's own, until the block ends.

    With `LOCI_TEST_DB=off` there is no cluster, and any use of the database fails.
    """
    # without its folder for collected files whitenoise warns, and a warning fails a test
    for name in ("broker", "static"):
        (var / name).mkdir(parents=True, exist_ok=True)
    if os.environ.get("LOCI_TEST_DB") == "off":
        yield environment(var, NO_DATABASE, NO_DATABASE)
        return
    cluster = Cluster(var / "pg")
    slots = var / "slots"
    slots.mkdir(exist_ok=True)
    slot = _take(slots)
    try:
        cluster.start()
        database = f"loci_{Path(slot.name).name}"
        cluster.prepare(database, create_db=True)
        yield environment(var, cluster.url(APP, database), cluster.url(OWNER, database))
    finally:
        slot.close()
        if cluster.folder.is_dir():
            with cluster.locked():
                if not _taken(slots):
                    cluster.stop_while_locked()


def _take(slots: Path) -> TextIO:
    """Lock the first free slot; it names the database, so that two runs never share one."""
    for number in range(SLOTS):
        if file := _lock(slots / str(number)):
            return file
    raise CannotRun(f"{SLOTS} test runs are under way in {slots.parent}.")


def _taken(slots: Path) -> bool:
    for path in slots.iterdir():
        file = _lock(path)
        if file is None:
            return True
        file.close()
    return False


def _lock(path: Path) -> TextIO | None:
    file = path.open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file
