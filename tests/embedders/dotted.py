"""An embedder that an installation brings itself and names by its dotted path."""

from typing import Any

from memory.stores.embedders.adapter import Adapter, EmbedderConfig
from tests.servers.scripted import pseudo_embedding


class WordSum(Adapter):
    """Sums a random direction for each word."""

    def __init__(self, config: EmbedderConfig) -> None:
        super().__init__(config, "dotted", "word-sum")

    def _vectors(self, texts: list[str], *, query: bool) -> list[Any]:
        return [pseudo_embedding(text) for text in texts]


class Incomplete:
    """No embedder."""

    def __init__(self, config: EmbedderConfig) -> None:
        self.name = "incomplete"
