"""Production does not start with a secret that protects nothing, and says so in one line without showing it."""

import subprocess
from pathlib import Path

import pytest

from loci.local.envfile import SECRETS, fernet_key
from loci.local.throwaway import TEST_SECRETS
from tests.deploy.production import environment, manage, run

GOOD = {name: make() for name, make in SECRETS.items()}
LOCAL = {"PUBLIC_URL": None, "ALLOWED_HOSTS": None, "BEHIND_PROXY": None}
REFUSED = {
    "no secret key": ({"SECRET_KEY": None}, "SECRET_KEY is not set"),
    "an empty secret key": ({"SECRET_KEY": ""}, "SECRET_KEY is not set"),
    "a short secret key": ({"SECRET_KEY": GOOD["SECRET_KEY"][:49]}, "SECRET_KEY is too short: 49 characters, 50"),
    "a secret key of one letter": ({"SECRET_KEY": "x" * 64}, "SECRET_KEY has fewer than 5 different"),
    "Django's secret key": ({"SECRET_KEY": "django-insecure-" + GOOD["SECRET_KEY"]}, "SECRET_KEY is a placeholder"),
    "a placeholder": ({"SECRET_KEY": "Change-Me-" + GOOD["SECRET_KEY"]}, "SECRET_KEY is a placeholder"),
    "the tests' secret key": ({"SECRET_KEY": TEST_SECRETS["SECRET_KEY"]}, "SECRET_KEY is printed in Loci's repository"),
    "no peppers": ({"KEY_PEPPERS": None}, "KEY_PEPPERS is not set"),
    "a pepper without an id": ({"KEY_PEPPERS": "a" * 40}, "KEY_PEPPERS is not of the form"),
    "two peppers of one id": ({"KEY_PEPPERS": f"{GOOD['KEY_PEPPERS']},p1:{'abcdef01' * 5}"}, "KEY_PEPPERS names an id"),
    "a short pepper": ({"KEY_PEPPERS": f"{GOOD['KEY_PEPPERS']},p0:short-one"}, "KEY_PEPPERS (the pepper p0) is too sh"),
    "the tests' pepper": ({"KEY_PEPPERS": TEST_SECRETS["KEY_PEPPERS"]}, "KEY_PEPPERS is printed in"),
    "no encryption keys": ({"ENCRYPTION_KEYS": None}, "ENCRYPTION_KEYS is not set"),
    "a word as an encryption key": ({"ENCRYPTION_KEYS": f"{fernet_key()},secret"}, "ENCRYPTION_KEYS (number 2) is no"),
    "the tests' encryption key": ({"ENCRYPTION_KEYS": TEST_SECRETS["ENCRYPTION_KEYS"]}, "ENCRYPTION_KEYS is printed"),
    "no database": ({"DATABASE_URL": None}, "DATABASE_URL is not set"),
    "a placeholder for the database's password": (
        {"DATABASE_URL": "postgres://loci_app:change-me@127.0.0.1:1/loci"},
        "DATABASE_URL holds a placeholder",
    ),
    "no hosts": ({"ALLOWED_HOSTS": None}, "ALLOWED_HOSTS does not name loci.example"),
    "any host": ({"ALLOWED_HOSTS": "loci.example,*"}, "ALLOWED_HOSTS answers every name"),
    "other hosts": ({"ALLOWED_HOSTS": "elsewhere.example"}, "ALLOWED_HOSTS does not name loci.example"),
    "a private network that is none": ({"ALLOWED_PRIVATE_NETWORKS": "10.0.0.0/40"}, "ALLOWED_PRIVATE_NETWORKS has"),
    "no public address": ({"PUBLIC_URL": None}, "PUBLIC_URL is not set"),
}


def _says(done: "subprocess.CompletedProcess[str]", message: str, env: dict[str, str]) -> None:
    """One line, on one of the two streams, without any secret."""
    assert done.returncode != 0
    (line,) = (done.stdout + done.stderr).strip().splitlines()
    assert message in line
    assert not any(value in line for value in (env.get(name) or "none" for name in GOOD))


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_one_line_that_names_the_setting_and_shows_no_value(tmp_path: Path, case: str) -> None:
    changes, message = REFUSED[case]
    env = environment(tmp_path, **changes)
    _says(manage(env, "check"), message, env)


@pytest.mark.parametrize("process", ["web", "worker", "beat"])
def test_no_process_starts(tmp_path: Path, process: str) -> None:
    env = environment(tmp_path, SECRET_KEY="too-short")
    _says(run(env, "-m", "loci.serve", process), "SECRET_KEY is too short", env)


def test_the_doctor_says_so_too_in_its_own_form(tmp_path: Path) -> None:
    import json

    done = manage(environment(tmp_path, SECRET_KEY=None), "doctor", "--json")
    assert done.returncode == 2
    said = json.loads(done.stdout)
    assert said["state"] == "fail"
    assert [check["check"] for check in said["checks"]] == ["settings"]


def test_a_secret_may_lie_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(GOOD["SECRET_KEY"])
    env = environment(tmp_path, SECRET_KEY=None, SECRET_KEY_FILE=str(tmp_path / "key"))
    assert manage(env, "check").returncode == 0


def test_on_this_machine_alone_the_tests_secrets_will_do(tmp_path: Path) -> None:
    assert manage(environment(tmp_path, **LOCAL, **TEST_SECRETS), "check").returncode == 0


def test_even_on_this_machine_alone_a_secret_must_be_one(tmp_path: Path) -> None:
    env = environment(tmp_path, **LOCAL, SECRET_KEY="dev")
    _says(manage(env, "check"), "SECRET_KEY is too short", env)


def test_production_settings_pass_djangos_deployment_checks(tmp_path: Path) -> None:
    done = manage(environment(tmp_path), "check", "--deploy", "--fail-level", "WARNING", python=("-W", "error"))
    assert (done.returncode, done.stdout) == (0, "System check identified no issues (2 silenced).\n"), done.stderr


def test_the_two_that_are_silenced_are_promises_about_a_whole_domain() -> None:
    from django.conf import settings

    assert settings.SILENCED_SYSTEM_CHECKS == ["security.W005", "security.W021"]


def test_a_proxy_that_loci_is_not_told_of_is_a_warning(tmp_path: Path) -> None:
    done = manage(environment(tmp_path, BEHIND_PROXY=None), "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 1
    assert "security.W008" in done.stderr
