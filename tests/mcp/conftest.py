from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cast import Caller
from tests.mcp.node_packages import Packages, RegistryAway, installed
from tests.mcp.serving import Server, served


@dataclass(frozen=True)
class Door:
    """Where a client finds its memory, and with which key."""

    url: str
    key: str


@pytest.fixture(scope="session")
def packages() -> Packages:
    """The npm clients; the tests that drive them are skipped where they are not installed and cannot be."""
    try:
        return installed()
    except RegistryAway as reason:
        pytest.skip(f"no npm packages: {reason}")


@pytest.fixture(scope="session")
def loci(django_db_setup: None) -> Iterator[Server]:
    """A running Loci under ASGI."""
    if find_spec("loci.asgi") is None:
        pytest.skip("there is no /mcp yet")
    with served("loci.asgi:application", "/healthz") as server:
        yield server


@pytest.fixture
def door(loci: Server, alice: Caller) -> Door:
    """/mcp with alice's key."""
    return Door(loci.url + "/mcp", alice.key)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home for a client that keeps things in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
