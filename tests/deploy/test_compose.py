"""The compose file fits its .env.example, pins what it takes, holds its services down, and starts what is there."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands

from loci.processes import PROCESSES
from tests.deploy.files import DEPLOY, compose, env_file, substituted, variables
from tests.deploy.production import environment, manage
from tests.docs.pages import DOCS, first_column
from tests.docs.test_docs_are_true import names_in, settings_read

COMPOSE = compose()
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ["migrate", "web", "worker", "beat", "backup"]
ONCE = ["migrate", "backup"]
PINNED = re.compile(r"[\w./-]+:v?\d+\.\d+\.\d+[\w.-]*")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What new_env.py makes."""
    file = tmp_path_factory.mktemp("env") / ".env"
    command = [sys.executable, str(DEPLOY / "new_env.py"), "--domain", "loci.example", "--file", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=30)
    return env_file(file)


def test_every_variable_is_in_the_example_and_no_other() -> None:
    assert variables((DEPLOY / "compose.yaml").read_text()) == set(env_file(DEPLOY / ".env.example"))


def test_every_variable_is_a_documented_setting_or_explained_in_the_guide() -> None:
    documented = names_in(first_column(DOCS / "settings.md")) | names_in(first_column(DOCS / "deployment.md"))
    assert set(env_file(DEPLOY / ".env.example")) <= documented


def test_every_setting_that_services_get_is_one(filled: dict[str, str]) -> None:
    for name in OURS:
        assert set(SERVICES[name]["environment"]) <= settings_read(), name


@pytest.mark.parametrize("name", SERVICES)
def test_an_image_is_pinned_to_a_whole_version(name: str) -> None:
    image = substituted(SERVICES[name]["image"], {})
    assert PINNED.fullmatch(image), image


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_a_health_check_unless_it_runs_once(name: str) -> None:
    check = SERVICES[name]["healthcheck"]
    if name in ONCE:
        assert (check, SERVICES[name]["restart"]) == ({"disable": True}, "no")
    else:
        assert check["test"][0] in ("CMD", "CMD-SHELL")
        assert {"interval", "timeout", "retries"} <= set(check)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_held_down(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert service["pids_limit"] and service["logging"]["options"]["max-size"]
    assert "privileged" not in service and "network_mode" not in service


def test_only_caddy_is_reachable_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["caddy"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert {name for name, service in SERVICES.items() if service["networks"] != ["inside"]} == {
        "web", "worker", "caddy",
    }  # fmt: skip


def test_only_migrations_and_backups_can_log_in_as_the_owner(filled: dict[str, str]) -> None:
    holders = {
        name
        for name, service in SERVICES.items()
        if filled["LOCI_OWNER_PASSWORD"] in str(substituted(service.get("environment", {}), filled))
    }
    assert holders == {"postgres", *ONCE}


def test_web_worker_and_beat_wait_for_the_migrations() -> None:
    for name in ("web", "worker", "beat"):
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_stores_that_are_not_used_yet_start_only_when_asked_for() -> None:
    optional = {name: service["profiles"] for name, service in SERVICES.items() if "profiles" in service}
    assert optional == {"backup": ["backup"], "qdrant": ["qdrant"], "memgraph": ["memgraph"]}


@pytest.mark.parametrize("name", OURS)
def test_a_command_that_a_service_runs_is_there(name: str) -> None:
    match SERVICES[name]["command"]:
        case ["python", "-m", "loci.serve", process]:
            assert process == name and process in PROCESSES
        case ["python", "manage.py", command, *_]:
            assert command in get_commands()
        case other:
            raise AssertionError(other)


def test_files_that_are_mounted_are_there() -> None:
    mounted = [volume for service in SERVICES.values() for volume in service.get("volumes", [])]
    named = {volume.partition(":")[0] for volume in mounted}
    assert all((DEPLOY / name).is_file() for name in named if name.startswith("."))
    assert {name for name in named if not name.startswith(".")} == set(COMPOSE["volumes"])


@pytest.mark.parametrize("name", OURS)
def test_the_settings_of_a_service_are_complete(name: str, filled: dict[str, str], tmp_path: Path) -> None:
    given = substituted(SERVICES[name]["environment"], filled)
    bare = environment(tmp_path, **dict.fromkeys(settings_read()))
    env = bare | given | {"LOCI_ENV_FILE": "/nonexistent", "LOCI_VAR": str(tmp_path)}
    done = manage(env, "check", "--deploy", "--fail-level", "WARNING")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_new_secrets_are_private_and_an_old_file_is_never_touched(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    command = [sys.executable, str(DEPLOY / "new_env.py"), "--domain", "loci.example", "--file", str(file)]
    assert subprocess.run(command, check=False, capture_output=True, timeout=30).returncode == 0
    before = file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [name for name, value in env_file(file).items() if not value] == [
        "EMBEDDER_URL", "EMBEDDER_MODEL", "EMBEDDER_API_KEY",
        "LLM_URL", "LLM_MODEL", "LLM_API_KEY",
        "RERANKER_URL", "RERANKER_MODEL", "RERANKER_API_KEY", "ALLOWED_PRIVATE_NETWORKS",
    ]  # fmt: skip
    again = subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)
    assert again.returncode == 1 and "is there already" in again.stderr
    assert file.read_text() == before


def test_passwords_can_stand_in_urls(filled: dict[str, str]) -> None:
    passwords = [value for name, value in filled.items() if name.endswith("PASSWORD")]
    assert len(set(passwords)) == 4
    assert all(re.fullmatch(r"[\w-]{32,}", password) for password in passwords)


def test_new_env_needs_nothing_installed() -> None:
    command = [sys.executable, "-I", "-S", str(DEPLOY / "new_env.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, env={"PATH": os.defpath})
    assert (done.returncode, done.stderr) == (0, "")
