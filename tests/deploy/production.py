"""An installation that serves others: its environment, and its commands run as processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

from django.db import connections

from loci.local.envfile import SECRETS
from tests.local.running import OURS, ROOT

OTHER = ("PUBLIC_URL", "ALLOWED_HOSTS", "BEHIND_PROXY", "EMBEDDER", "BIND")


def url(alias: str, database: str = "") -> str:
    """The URL of the test database, or of another one on its server."""
    from urllib.parse import quote

    found = connections[alias].settings_dict
    name = database or found["NAME"]
    return f"postgres://{found['USER']}:{found['PASSWORD']}@:{found['PORT']}/{quote(found['HOST'])}/{name}"


def environment(folder: Path, **changes: str | None) -> dict[str, str]:
    """Of a served installation with secrets of its own; `changes` set settings, or leave them out (None)."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith((*OURS, *OTHER))}
    settings: dict[str, str | None] = {
        **{name: make() for name, make in SECRETS.items()},
        "LOCI_ENV_FILE": "/nonexistent",
        "LOCI_VAR": str(folder),
        "DATABASE_URL": "postgres://loci_app:app-password@127.0.0.1:1/loci",
        "DATABASE_OWNER_URL": "postgres://loci_owner@127.0.0.1:1/loci",
        "PUBLIC_URL": "https://loci.example",
        "ALLOWED_HOSTS": "loci.example",
        "BEHIND_PROXY": "true",
        "CELERY_BROKER_FOLDER": str(folder / "broker"),
        "EMBEDDER": "static",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")]),
        **changes,
    }
    return inherited | {name: value for name, value in settings.items() if value is not None}


def manage(
    env: dict[str, str], *arguments: str | Path, python: tuple[str, ...] = ()
) -> "subprocess.CompletedProcess[str]":
    """A management command in a process of its own."""
    return run(env, *python, ROOT / "manage.py", *arguments)


def run(env: dict[str, str], *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Python with `arguments`."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
