"""The official conformance suite at a running server: which of a protocol revision's scenarios it passes."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.mcp.node_packages import Packages

PACKAGE = "@modelcontextprotocol/conformance"
SECONDS = 300


@dataclass(frozen=True)
class Outcome:
    """What came of a revision's required scenarios."""

    passed: frozenset[str]
    failed: Mapping[str, list[str]]
    """Scenario to what its checks complain of."""
    warned: Mapping[str, list[str]]
    """Scenario to what a server should do and this one does not."""
    beyond: frozenset[str]
    """What it passes of scenarios that the revision does not require."""


def run(packages: Packages, url: str, revision: str, folder: Path) -> Outcome:
    """Run what the revision requires of a server at `url`; the suite leaves its records in `folder`."""
    done = packages.run(
        f"{PACKAGE}/dist/index.js", "server", "--url", url, "--requirements", revision, "-o", str(folder),
        home=folder, seconds=SECONDS,
    )  # fmt: skip
    checks = _checks(folder)
    required = _required(packages, revision)
    assert required <= checks.keys(), f"not run: {sorted(required - checks.keys())}\n{done.stdout[-2000:]}{done.stderr}"
    failed = _told(checks, "FAILURE")
    passed = {name for name in checks if name not in failed}
    return Outcome(
        passed=frozenset(passed & required),
        failed={name: told for name, told in failed.items() if name in required},
        warned={name: told for name, told in _told(checks, "WARNING").items() if name in required},
        beyond=frozenset(passed - required),
    )


def _required(packages: Packages, revision: str) -> set[str]:
    """The scenarios that count; the suite runs some that do not, too."""
    sets = yaml.safe_load(packages.path(f"{PACKAGE}/requirements/{revision}.yaml").read_text())
    return set(sets["server"])


def _checks(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Scenario to its checks, out of folders named server-SCENARIO-TIME."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in folder.glob("server-*/checks.json"):
        scenario, _ = re.split(r"-(?=\d{4}-\d\d-\d\dT)", path.parent.name.removeprefix("server-"), maxsplit=1)
        found[scenario] = json.loads(path.read_text())
    return found


def _told(checks: Mapping[str, list[dict[str, Any]]], status: str) -> dict[str, list[str]]:
    """What the checks of a status say; a scenario that checked nothing failed."""
    found: dict[str, list[str]] = {}
    for scenario, results in checks.items():
        told = [f"{one['id']}: {one.get('errorMessage')}" for one in results if one["status"] == status]
        if not results and status == "FAILURE":
            told = ["nothing was checked"]
        if told:
            found[scenario] = told
    return found
