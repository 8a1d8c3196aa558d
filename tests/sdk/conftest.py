import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cast import Caller
from tests.sdk.speaker import Speaker
from tests.sdk.terminal import Terminal
from tests.servers.scripted import ScriptedServer

MANNERS = ["blocking", "awaiting"]


@pytest.fixture(autouse=True)
def nobodys_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of whoever runs the tests: an empty home, and no address or key."""
    for name in ("LOCI_URL", "LOCI_API_KEY", "LOCI_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture(params=MANNERS)
def speaker(request: pytest.FixtureRequest, live_server: Any, alice: Caller) -> Speaker:
    """alice, through the SDK, at a running Loci."""
    return Speaker(request.param, live_server.url, alice.key)


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    """A server that behaves as a script says."""
    with ScriptedServer(lambda request: {}) as server:
        yield server


@pytest.fixture(params=MANNERS)
def caller(request: pytest.FixtureRequest, scripted: ScriptedServer) -> Speaker:
    """Somebody at the scripted server."""
    return Speaker(request.param, scripted.url, "loci_sk_test")


@pytest.fixture
def worker() -> Iterator[None]:
    """Does the jobs meanwhile."""
    from django.db import connections

    from memory.services.jobs import run_next

    ended = threading.Event()

    def work() -> None:
        while not ended.wait(0.05):
            run_next()
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    ended.set()
    thread.join()


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal of somebody who has set nothing up."""
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    return Terminal(tmp_path / "home", tmp_path / "work")


@pytest.fixture
def at_loci(terminal: Terminal, live_server: Any, alice: Caller) -> Terminal:
    """alice's terminal, with address and key in the environment."""
    terminal.variables |= {"LOCI_URL": live_server.url, "LOCI_API_KEY": alice.key}
    return terminal
