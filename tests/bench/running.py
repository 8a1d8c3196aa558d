"""A Loci of the benchmark's own: a cluster, a database for each suite, and the processes that `make run` starts."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from loci.local.children import Child
from loci.local.demo import manage
from loci.local.places import ROOT
from loci.local.postgres import APP, OWNER, Cluster
from loci.local.postmaster import ticks
from loci.local.supervisor import answers
from loci.local.throwaway import TEST_SECRETS
from loci.processes import web
from loci.processes import worker as worker_of
from tests.bench.client import Client
from tests.bench.report import Report

KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "WEB_WORKERS",
    "WEB_THREADS",
    "MCP_THREADS",
)
"""What is taken over from outside; all other settings are Loci's defaults."""
READY_SECONDS = 60.0
PLACE = ROOT / "var" / "bench"
"""A folder for each run, named by its process; what a killed one left is removed by the next."""


@dataclass(slots=True)
class Loci:
    """One running Loci. `owner_url` is for maintenance, `app_url` for reading as the application does."""

    url: str
    env: dict[str, str]
    children: list[Child]
    cluster: Cluster
    database: str
    ready_seconds: float = 0.0

    def tenants(self, *slugs: str, memories: int = 0, seed: int = 1, owner: bool = False) -> dict[str, str]:
        """Make tenants with so many memories each, and perhaps an owner; their service keys."""
        wanted = json.dumps({"tenants": slugs, "memories": memories, "seed": seed, "owner": owner})
        done = _run([sys.executable, "-m", "tests.bench.fill"], self.env, wanted)
        keys: dict[str, str] = json.loads(done.splitlines()[-1])
        return keys

    def client(self, key: str) -> Client:
        """A client with this key."""
        return Client(self.url, key)

    def vacuum(self) -> None:
        """What autovacuum would do within some minutes: visibility map and statistics."""
        with self.cluster.connect(OWNER, self.database) as connection:
            connection.execute("VACUUM (ANALYZE)")

    def pids(self) -> list[int]:
        """The processes that were started, without their own children."""
        return [child.process.pid for child in self.children if child.process]


@contextmanager
def throwaway_cluster(report: Report) -> Iterator[Cluster]:
    """A new cluster, gone when the block ends."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for left in PLACE.iterdir():
        if left.name.isdigit() and not Path(f"/proc/{left.name}").exists():
            _remove(Cluster(left / "pg"))
    folder = PLACE / str(os.getpid())
    folder.mkdir()
    cluster = Cluster(folder / "pg", log=folder / "postgres.log", say=report.progress)
    try:
        report.progress("starting PostgreSQL")
        cluster.start()
        yield cluster
    finally:
        _remove(cluster)


def _remove(cluster: Cluster) -> None:
    cluster.stop()
    shutil.rmtree(cluster.home, ignore_errors=True)
    shutil.rmtree(cluster.folder.parent, ignore_errors=True)


@contextmanager
def loci(cluster: Cluster, name: str, *, embedder: str | None = None, worker: bool = False) -> Iterator[Loci]:
    """Loci with an empty database, until the block ends; `embedder` None is the default of its settings."""
    cluster.prepare(name)
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    var = cluster.folder.parent / name
    env = _environment(cluster, name, var, url, embedder) | {"BIND": f"127.0.0.1:{port}"}
    _run(manage("migrate", "--database=owner", "--no-input"), env)
    running = Loci(url, env, [], cluster, name)
    began = time.monotonic()
    try:
        for kind, command in {"web": web(env), **({"worker": worker_of(env)} if worker else {})}.items():
            running.children.append(Child(kind, command, env, var / f"{kind}.log", print))
            running.children[-1].start()
        _wait(running)
        running.ready_seconds = time.monotonic() - began
        yield running
    finally:
        for child in running.children:
            child.stop(lambda: False)
        with cluster.connect() as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _environment(cluster: Cluster, name: str, var: Path, url: str, embedder: str | None) -> dict[str, str]:
    for folder in ("broker", "static"):
        (var / folder).mkdir(parents=True, exist_ok=True)
    return {
        **{key: os.environ[key] for key in KEPT if key in os.environ},
        **TEST_SECRETS,
        "DJANGO_SETTINGS_MODULE": "loci.settings",
        "LOCI_ENV_FILE": "/nonexistent",
        "LOCI_VAR": str(var),
        "CELERY_BROKER_FOLDER": str(var / "broker"),
        "DATABASE_URL": cluster.url(APP, name),
        "DATABASE_OWNER_URL": cluster.url(OWNER, name),
        "PUBLIC_URL": url,
        # on a busy machine a batch would otherwise be answered before it can be found
        "INDEX_WAIT": "60",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")]),
        **({"EMBEDDER": embedder} if embedder else {}),
    }


def _run(command: Sequence[str], env: dict[str, str], given: str = "") -> str:
    """A command's output. Raises RuntimeError with the end of its complaint when it fails."""
    done = subprocess.run(command, cwd=ROOT, env=env, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:4])} failed: {done.stderr[-1500:]}")
    return done.stdout


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(running: Loci) -> None:
    web = running.children[0]
    for _ in ticks(READY_SECONDS, every=0.1):
        if answers(f"{running.url}/readyz"):
            return
        if web.exit_code() is not None:
            break
    raise RuntimeError(f"the web server is not ready: {web.reason()}")
