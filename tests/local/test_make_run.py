"""`make run` from the outside: it starts, survives and stops, and says in one line what it cannot do."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

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
    line = next(line for line in loci.output.splitlines() if "curl -sS" in line)
    answer = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True).stdout
    assert "results" in json.loads(answer)


def test_what_its_request_asks_is_read_first(loci: Running) -> None:
    demo = json.loads((loci.var / "demo.json").read_text())
    headers = {"X-API-Key": demo["service_key"], "Content-Type": "application/json"}
    question = json.dumps({"query": "how do I connect Claude Code?", "limit": 1}).encode()

    def sources() -> list[str]:
        request = urllib.request.Request(f"{loci.url}/api/v1/recall", question, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return [hit["source"] for hit in json.load(answer)["results"]]

    wait_for(lambda: sources() == ["docs/connect.md"])
    assert "a line here says when" in loci.output


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


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        ("Transfer-Encoding: chunked", b"zz\r\n%s\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"10\r\n%s\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"4c\r\n%s"),
        ("Content-Length: 500", b"%s"),
    ],
)
def test_a_body_that_is_broken_is_the_senders_fault_and_ends_the_connection(
    loci: Running, framing: str, body: bytes
) -> None:
    write = json.dumps({"items": [{"text": "This came in a broken body.", "source": "broken"}]}).encode()
    head = (
        f"POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {loci.demo()['service_key']}\r\n"
        f"Content-Type: application/json\r\n{framing}\r\n\r\n"
    )
    smuggled = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" if "chunked" in framing else b""
    answer = loci.raw(head.encode() + body % write + smuggled)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400 Bad Request")
    assert answer.count(b"HTTP/1.1") <= 1, "what follows a broken body is no request"
    listed = urllib.request.Request(
        f"{loci.url}/api/v1/memories?source=broken", headers={"X-API-Key": loci.demo()["service_key"]}
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(listed, timeout=30) as response:
        assert json.load(response)["items"] == []
    assert '"level": "error"' not in (loci.var / "log" / "web.log").read_text()


def test_peers_that_fall_silent_hold_nobody_up(loci: Running) -> None:
    """More of them than there are threads: half of a request's head, half of its body."""
    head = (
        f"POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {loci.demo()['service_key']}\r\n"
        "Content-Type: application/json\r\nContent-Length: 99\r\n\r\n"
    )
    begun = [head[:30].encode(), head.encode() + b'{"items":']
    with ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(("127.0.0.1", int(loci.port)))) for _ in range(12)]
        for at, connection in enumerate(silent):
            connection.sendall(begun[at % 2])
        wait_for(lambda: loci.get("/healthz") == 200, seconds=30)
    log = (loci.var / "log" / "web.log").read_text()
    assert '"level": "error"' not in log and "[ERROR]" not in log


def test_the_longest_source_can_be_asked_for_in_an_address(loci: Running) -> None:
    source = quote("é" * 1024)
    assert loci.get(f"/api/v1/memories?source={source}") == 401
    listed = loci.raw(
        f"GET /api/v1/memories?source={quote('記' * 833)} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        f"X-API-Key: {loci.demo()['service_key']}\r\n\r\n".encode(),
        hang_up=False,
    )
    assert listed.startswith(b"HTTP/1.1 200")


def test_a_child_that_dies_is_started_again(loci: Running) -> None:
    web = loci.children()[0]
    os.kill(web, signal.SIGKILL)
    wait_for(lambda: loci.children()[0] != web and loci.get("/readyz") == 200)
    assert "The web process ended (killed by SIGKILL); it starts again in" in loci.output


def test_a_database_server_that_is_killed_is_started_again(loci: Running) -> None:
    server = loci.postmaster()
    os.kill(server, signal.SIGKILL)
    wait_for(lambda: loci.postmaster() not in (0, server) and loci.get("/readyz") == 200)
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


def test_a_key_that_was_revoked_is_not_shown_again_and_another_is_a_file_away(folder: Path) -> None:
    var, port = folder / "revoked", free_port()
    first = Running(var, port).wait_started()
    (key,) = json.loads(first.manage("list_keys", "demo", "--json"))
    first.manage("revoke_key", key["id"])
    assert first.end(signal.SIGINT) == 0
    second = Running(var, port).wait_started()
    (line,) = [line for line in second.output.splitlines() if "Service key" in line]
    assert f"was revoked or has expired: delete {var / 'demo.json'} and start again" in line
    assert first.demo()["service_key"] not in second.output
    assert second.end(signal.SIGINT) == 0
    (var / "demo.json").unlink()
    third = Running(var, port).wait_started()
    assert f"Service key   {third.demo()['service_key']}" in third.output
    assert third.end(signal.SIGINT) == 0


def test_stop_ends_everything(loci: Running) -> None:
    children, server = loci.children(), loci.postmaster()
    answer = loci.command("stop")
    assert (answer.returncode, answer.stdout.strip()) == (0, "Loci is stopped.")
    assert loci.process.wait(timeout=30) == 0
    assert not any(alive(pid) for pid in [*children, server])
    assert loci.command("status").returncode == 3
