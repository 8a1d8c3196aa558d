"""Embedders that misbehave on demand, named by dotted path in `settings.EMBEDDER`."""

from collections.abc import Callable
from threading import Event
from typing import Any

from memory.stores.embedders.adapter import Adapter, EmbedderConfig
from tests.servers.scripted import pseudo_embedding

WORKING = "tests.api.embedders.Obedient"
OTHER = "tests.api.embedders.Other"


class Obedient(Adapter):
    """Sums a random direction for each word, unless `act` raises or waits."""

    act: Callable[[list[str]], None] = staticmethod(lambda texts: None)
    calls: list[int] = []
    kind = "obedient"

    def __init__(self, config: EmbedderConfig) -> None:
        super().__init__(config, self.kind, "word-sum")

    def _vectors(self, texts: list[str], *, query: bool) -> list[Any]:
        Obedient.calls.append(len(texts))
        Obedient.act(texts)
        return [pseudo_embedding(text) for text in texts]

    @classmethod
    def fail(cls, error: Exception | None = None, on: str = "", *, retryable: bool = True) -> None:
        """From now on raise for any text that holds `on`; an `EmbedderError` when no error is given."""

        def act(texts: list[str]) -> None:
            if any(on in text for text in texts):
                raise error or cls(EmbedderConfig(WORKING)).error("is away", retryable=retryable)

        cls.act = staticmethod(act)

    @classmethod
    def hang(cls) -> Event:
        """From now on wait for the event."""
        event = Event()
        cls.act = staticmethod(lambda texts: event.wait(30) and None)
        return event

    @classmethod
    def obey(cls) -> None:
        """Work again, and count calls anew."""
        cls.act = staticmethod(lambda texts: None)
        cls.calls = []


class Other(Obedient):
    """The same in another space."""

    kind = "other"
