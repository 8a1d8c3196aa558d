"""The systemd units: directives that exist, paths and commands that exist, and nothing more allowed than is needed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from loci.processes import PROCESSES
from tests.deploy.files import Unit, units
from tests.docs.pages import DOCS
from tests.local.running import ROOT

UNITS = units()
SERVICES = [unit for unit in UNITS if "Service" in unit.sections]
INSTALLED = "/opt/loci"
KNOWN = {
    "Unit": {"Description", "Documentation", "Wants", "After", "StartLimitIntervalSec", "StartLimitBurst"},
    "Service": {
        "Type", "User", "Group", "WorkingDirectory", "EnvironmentFile", "Environment", "ExecStart", "Restart",
        "RestartSec", "TimeoutStartSec", "TimeoutStopSec", "StateDirectory", "StateDirectoryMode", "UMask",
        "NoNewPrivileges", "CapabilityBoundingSet", "AmbientCapabilities", "ProtectSystem", "ProtectHome", "PrivateTmp",
        "PrivateDevices", "ProtectClock", "ProtectHostname", "ProtectKernelLogs", "ProtectKernelModules",
        "ProtectKernelTunables", "ProtectControlGroups", "ProtectProc", "RestrictAddressFamilies", "RestrictNamespaces",
        "RestrictRealtime", "RestrictSUIDSGID", "RemoveIPC", "LockPersonality", "SystemCallArchitectures",
        "SystemCallFilter", "SystemCallErrorNumber",
    },
    "Timer": {"OnCalendar", "RandomizedDelaySec", "Persistent"},
    "Install": {"WantedBy"},
}  # fmt: skip
HARDENED = {
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "RestrictNamespaces": "yes",
    "RestrictSUIDSGID": "yes",
    "SystemCallFilter": "@system-service",
    "UMask": "0077",
}


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_sections_and_directives_are_systemds(unit: Unit) -> None:
    for section, directives in unit.sections.items():
        assert set(directives) <= KNOWN[section], section


@pytest.mark.parametrize("unit", SERVICES, ids=str)
def test_a_service_starts_what_is_there(unit: Unit) -> None:
    match unit.command():
        case [python, "-m", "loci.serve", process]:
            assert process in PROCESSES and unit.path.name == f"loci-{process}.service"
        case [python, script, command, *_]:
            assert script == f"{INSTALLED}/manage.py" and command in get_commands()
        case other:
            raise AssertionError(other)
    assert python == f"{INSTALLED}/.venv/bin/python"


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_paths_in_the_checkout_exist(unit: Unit) -> None:
    named = re.findall(rf"{INSTALLED}/([\w./-]+)", unit.path.read_text())
    assert named
    for path in named:
        assert path.startswith(".venv/") or (ROOT / path).exists(), path


@pytest.mark.parametrize("unit", SERVICES, ids=str)
def test_a_service_runs_as_a_user_of_its_own_that_may_do_little(unit: Unit) -> None:
    directives = unit.sections["Service"]
    assert directives["User"] == ["loci"]
    assert {name: directives[name][-1] for name in HARDENED} == HARDENED


def test_only_the_backup_reads_the_owners_password() -> None:
    readers = [str(unit) for unit in SERVICES if "/etc/loci/owner.env" in unit.sections["Service"]["EnvironmentFile"]]
    assert readers == ["loci-backup.service"]


def test_every_unit_is_in_the_guide() -> None:
    page = (DOCS / "deployment.md").read_text()
    assert [str(unit) for unit in UNITS if unit.path.name not in page and unit.path.stem not in page] == []


def test_systemd_itself_where_it_is_has_no_objection(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        return
    for unit in UNITS:
        text = unit.path.read_text().replace(f"{INSTALLED}/.venv/bin/python", sys.executable)
        (tmp_path / unit.path.name).write_text(text)
    paths = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *paths], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
