from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.cast import Caller
from tests.mcp.node_packages import Packages, RegistryAway, installed


@dataclass(frozen=True)
class Way:
    """Where a client finds its memory, and with which key."""

    url: str
    key: str


@pytest.fixture(scope="session")
def plain(base_url: str) -> Iterator[httpx2.Client]:
    """HTTP to the server without any help from an SDK; one connection pool for all tests."""
    with httpx2.Client(base_url=base_url, timeout=30) as client:
        yield client


@pytest.fixture(scope="session")
def packages() -> Packages:
    """The npm clients; the tests that drive them are skipped where they are not installed and cannot be."""
    try:
        return installed()
    except RegistryAway as reason:
        pytest.skip(f"no npm packages: {reason}")


@pytest.fixture
def way(base_url: str, alice: Caller) -> Way:
    """To /mcp with alice's key."""
    return Way(f"{base_url}/mcp", alice.key)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home for a client that keeps things in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
