"""The Python SDK as a package, made from its sources: so a hosted Loci needs no package index for it."""

import base64
import hashlib
import io
import tomllib
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.urls import reverse

FOLDER = "sdk/python"
WHEEL = "Wheel-Version: 1.0\nGenerator: loci\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in it: the same sources make the same bytes."""


def _folder() -> Path:
    return Path(settings.FILES) / FOLDER


@cache
def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((_folder() / "pyproject.toml").read_text())["project"]
    return project


def _stem() -> str:
    return f"{_project()['name'].replace('-', '_')}-{_project()['version']}"


def name() -> str:
    """Its file's name, which pip reads name and version from."""
    return f"{_stem()}-py3-none-any.whl"


def path() -> str:
    """Its address on this site."""
    return reverse("console:wheel", args=[name()])


@cache
def built() -> bytes:
    """The package; made once in a process."""
    info = f"{_stem()}.dist-info"
    files = {
        file.relative_to(_folder()).as_posix(): file.read_bytes()
        for file in sorted((_folder() / "loci_client").rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/entry_points.txt"] = _commands().encode()
    files[f"{info}/licenses/LICENSE"] = (_folder() / "LICENSE").read_bytes()
    record = [f"{place},{_digest(content)},{len(content)}" for place, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, content in files.items():
            entry = zipfile.ZipInfo(place, LONG_AGO)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _metadata() -> str:
    project = _project()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {needed}" for needed in project["dependencies"]),
        *(f"Classifier: {said}" for said in project["classifiers"]),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (_folder() / project["readme"]).read_text()


def _commands() -> str:
    return "[console_scripts]\n" + "".join(f"{name} = {where}\n" for name, where in _project()["scripts"].items())


def _digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
