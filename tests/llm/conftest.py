"""A scripted language model for each test, and time that passes by waiting only."""

from collections.abc import Iterator

import pytest

from tests.embedders.conftest import Clock
from tests.servers.chat import answers
from tests.servers.scripted import ScriptedServer


@pytest.fixture
def clock() -> Clock:
    """A clock of its own for each test."""
    return Clock()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A scripted language model of its own for each test."""
    with ScriptedServer(answers()) as scripted:
        yield scripted
