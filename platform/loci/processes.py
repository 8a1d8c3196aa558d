"""The processes that Loci consists of, and their command lines: the one place where these stand.

`loci.serve` becomes one of them; `make run`, the image and the systemd units go through here. Standard library only,
so that the local runner may import it.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CELERY = (sys.executable, "-m", "celery", "-A", "loci.celery")


def web(environment: Mapping[str, str]) -> list[str]:
    """The web server's command line; it reads BIND, WEB_WORKERS, WEB_THREADS and MCP_THREADS itself."""
    return [sys.executable, "-m", "loci.web"]


def worker(environment: Mapping[str, str]) -> list[str]:
    """The worker's command line, by WORKER_THREADS."""
    threads = environment.get("WORKER_THREADS") or "2"
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return [*CELERY, "worker", "--pool", "threads", "--concurrency", threads, *quiet, "--loglevel", "INFO"]


def beat(environment: Mapping[str, str]) -> list[str]:
    """The beat's command line, by BEAT_SCHEDULE."""
    return [*CELERY, "beat", "--schedule", str(schedule(environment)), "--pidfile=", "--loglevel", "WARNING"]


def schedule(environment: Mapping[str, str]) -> Path:
    """The file in which the beat notes what it did when, by BEAT_SCHEDULE."""
    folder = Path(environment.get("LOCI_VAR") or ROOT / "var")
    return Path(environment.get("BEAT_SCHEDULE") or folder / "beat-schedule")


PROCESSES = {"web": web, "worker": worker, "beat": beat}


def environment_of(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment that a process gets: ours, with the rooms on Python's path."""
    return {**environment, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")])}
