"""The machine: room on its disks."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from loci.doctor.findings import Finding, fail, ok, warn

MB = 1024 * 1024
WARN_MB, FAIL_MB = 1024, 100


def check_disk() -> Iterator[Finding]:
    """Free space where Loci writes: its own folder, and that for temporary files."""
    seen = set()
    for folder in (_there(settings.VAR), Path(tempfile.gettempdir())):
        device = folder.stat().st_dev
        if device in seen:
            continue
        seen.add(device)
        free = shutil.disk_usage(folder).free // MB
        if free < WARN_MB:
            say = fail if free < FAIL_MB else warn
            yield say("disk", f"{folder} has {free} MB free", "Free some space, or give it a larger disk.")
        else:
            yield ok("disk", f"{folder} has {free // 1024} GB free")


def _there(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())
