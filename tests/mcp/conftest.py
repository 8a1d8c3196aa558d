"""HTTP to the server without any help from an SDK."""

from collections.abc import Iterator

import httpx2
import pytest


@pytest.fixture(scope="session")
def plain(base_url: str) -> Iterator[httpx2.Client]:
    """One connection pool for all tests."""
    with httpx2.Client(base_url=base_url, timeout=30) as client:
        yield client
