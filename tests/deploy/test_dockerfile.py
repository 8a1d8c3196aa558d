"""The image, as far as it can be tried without an engine: its rules, and that the files it copies are enough to run."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from loci.processes import PROCESSES
from tests.deploy.files import dockerfile
from tests.deploy.production import environment
from tests.deploy.served import LOCAL
from tests.local.running import ROOT

INSTRUCTIONS = dockerfile()
RUNTIME = [each for each in INSTRUCTIONS if each.stage == "runtime"]


def _all(word: str) -> list[str]:
    return [each.rest for each in INSTRUCTIONS if each.word == word]


def test_hadolint_finds_nothing() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    done = subprocess.run(
        [hadolint, "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_stages_start_from_one_base_that_is_pinned_to_a_whole_version() -> None:
    bases = {rest.partition(" AS ")[0] for rest in _all("FROM")}
    assert len(_all("FROM")) == 2 and len(bases) == 1
    assert re.fullmatch(r"python:3\.12\.\d+-slim-\w+", bases.pop())


def test_it_runs_as_a_user_without_rights_and_by_number() -> None:
    users = [each.rest for each in RUNTIME if each.word == "USER"]
    assert users and re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", users[-1])
    after = [each.word for each in RUNTIME[[each.word for each in RUNTIME].index("USER") :]]
    assert "RUN" not in after and "COPY" not in after


def test_nothing_is_fetched_but_packages_with_known_hashes() -> None:
    assert not _all("ADD")
    installs = [rest for rest in _all("RUN") if "pip install" in rest]
    assert installs and all("--require-hashes" in rest and "--only-binary=:all:" in rest for rest in installs)
    assert not any(re.search(r"\b(curl|wget|apt-get|git)\b", rest) for rest in _all("RUN"))


def test_commands_are_in_exec_form_so_that_signals_arrive() -> None:
    (command,) = _all("CMD")
    assert json.loads(command) == ["python", "-m", "loci.serve", "web"]
    (check,) = _all("HEALTHCHECK")
    assert json.loads(check.partition("CMD ")[2]) == ["python", "-m", "loci.probe", "web"]
    assert not _all("ENTRYPOINT")


def test_no_secret_is_set_or_asked_for_at_build() -> None:
    assert not _all("ARG")
    assert not re.search(r"SECRET_KEY|PEPPER|ENCRYPTION|PASSWORD|TOKEN", " ".join(_all("ENV") + _all("RUN")))


def test_what_is_copied_is_what_the_builder_is_sent() -> None:
    copied = {name for each in INSTRUCTIONS if each.word == "COPY" and "--from" not in each.rest
              for name in each.rest.split()[:-1]}  # fmt: skip
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied == sent
    assert all((ROOT / name).exists() for name in copied)


def test_the_files_that_are_copied_are_enough(tmp_path: Path) -> None:
    image = tmp_path / "app"
    image.mkdir()
    for each in RUNTIME:
        if each.word == "COPY" and "--from" not in each.rest:
            *names, _ = each.rest.split()
            for name in names:
                source = ROOT / name
                skip = shutil.ignore_patterns("__pycache__")
                if source.is_dir():
                    shutil.copytree(source, image / name, ignore=skip)
                else:
                    shutil.copy(source, image)
    (run,) = [each.rest for each in RUNTIME if "collectstatic" in each.rest]
    env = environment(tmp_path, **LOCAL) | {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": f"{image}:{image / 'platform'}",
        "STATIC_ROOT": str(tmp_path / "collected"),
    }
    script = run.replace("/tmp/build", str(tmp_path / "build"))
    built = subprocess.run(["/bin/sh", "-ec", script], cwd=image, env=env, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert any((tmp_path / "collected").iterdir())
    assert not (tmp_path / "build").exists()
    where = "import loci.settings, memory, console; print(loci.settings.__file__, memory.__file__, console.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", where], cwd=image, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert all(path.startswith(str(image)) for path in done.stdout.split())


def test_processes_that_the_image_can_become() -> None:
    assert list(PROCESSES) == ["web", "worker", "beat"]
