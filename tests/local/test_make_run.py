"""`make run` from the outside: it starts, survives and stops, and says in one line what it cannot do."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.running import ROOT, Running, alive, free_port, wait_for


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that the server's own user may enter, which pytest's tmp_path is not for root."""
    with tempfile.TemporaryDirectory(prefix="loci-run-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def loci(folder: Path) -> Iterator[Running]:
    running = Running(folder / "var", free_port())
    try:
        yield running.wait_started()
    finally:
        if running.process.poll() is None:
            running.end()


def test_it_prints_a_request_that_works_when_pasted(loci: Running) -> None:
    line = next(line for line in loci.output.splitlines() if "curl -s" in line)
    answer = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True).stdout
    assert "results" in json.loads(answer)


def test_its_secrets_are_readable_by_the_owner_only(loci: Running) -> None:
    for name in ("loci.env", "demo.json", "pg/passwords.json", "log/web.log"):
        assert (loci.var / name).stat().st_mode & 0o077 == 0, name


def test_what_its_processes_write_is_for_the_owner_only(loci: Running) -> None:
    wait_for(lambda: list(loci.var.glob("beat-schedule*")))
    written = [path for name in ("log", "broker") for path in (loci.var / name, *(loci.var / name).rglob("*"))]
    written += loci.var.glob("beat-schedule*")
    assert len(written) > 5
    assert [str(path) for path in written if path.exists() and path.stat().st_mode & 0o077] == []


def test_the_doctor_finds_all_well_beside_it(loci: Running) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "manage.py", "doctor", "--json"],
        cwd=ROOT, env=loci.env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, json.loads(done.stdout)["state"]) == (0, "ok"), done.stdout


def test_status_says_where_it_runs(loci: Running) -> None:
    answer = loci.command("status")
    assert (answer.returncode, answer.stdout.strip()) == (0, f"Loci runs at {loci.url}.")


def test_a_second_one_in_the_same_folder_says_so_and_ends(loci: Running) -> None:
    second = Running(loci.var, free_port())
    assert second.process.wait(timeout=30) == 1
    assert len(second.output.splitlines()) == 1
    assert "already runs" in second.output
    assert loci.get("/readyz") == 200


def test_a_busy_port_is_named_together_with_a_free_one(folder: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        running = Running(folder / "busy", port)
        assert running.process.wait(timeout=30) == 1
    assert running.output.startswith(f"Port {port} is in use by another program: PORT=")
    assert running.output.rstrip().endswith("make run")
    assert not (folder / "busy" / "pg").exists()


def test_a_port_that_is_none_is_refused_in_one_line(folder: Path) -> None:
    running = Running(folder / "noport", "http")
    assert running.process.wait(timeout=30) == 1
    assert running.output.splitlines() == ["PORT=http is no port: it must be a number from 1 to 65535."]


def test_a_folder_that_cannot_be_written_is_named_in_one_line(folder: Path) -> None:
    (folder / "file").write_text("in the way")
    running = Running(folder / "file" / "var", free_port())
    assert running.process.wait(timeout=30) == 1
    assert len(running.output.splitlines()) == 1
    assert str(folder / "file") in running.output


def test_a_child_that_dies_is_started_again(loci: Running) -> None:
    web = loci.children()[0]
    os.kill(web, signal.SIGKILL)
    wait_for(lambda: loci.children()[0] != web and loci.get("/readyz") == 200)
    assert "The web process ended (killed by SIGKILL); it starts again in" in loci.output


def test_a_database_server_that_is_killed_is_started_again(loci: Running) -> None:
    server = loci.postmaster()
    os.kill(server, signal.SIGKILL)
    wait_for(lambda: loci.postmaster() != server and loci.get("/readyz") == 200)
    assert loci.output.count("PostgreSQL has stopped; starting it again.") == 1


def test_after_kill_9_its_children_end_and_the_next_start_goes_on_with_the_same_data(folder: Path) -> None:
    var, port = folder / "killed", free_port()
    first = Running(var, port).wait_started()
    demo, children, server = first.demo(), first.children(), first.postmaster()
    first.end(signal.SIGKILL)
    wait_for(lambda: not any(alive(pid) for pid in children), seconds=30)
    second = Running(var, port).wait_started()
    assert second.demo() == demo
    assert second.postmaster() == server
    children = second.children()
    assert second.end(signal.SIGINT) == 0
    assert not any(alive(pid) for pid in [*children, server])
    assert "Traceback" not in second.output


def test_stop_ends_everything(loci: Running) -> None:
    children, server = loci.children(), loci.postmaster()
    answer = loci.command("stop")
    assert (answer.returncode, answer.stdout.strip()) == (0, "Loci is stopped.")
    assert loci.process.wait(timeout=30) == 0
    assert not any(alive(pid) for pid in [*children, server])
    assert loci.command("status").returncode == 3
