"""No embedder: search is lexical only. The caller sees `enabled` is False and leaves the dense arm out."""

from collections.abc import Sequence
from typing import NoReturn

from memory.engine.embedding import EmbedderError
from memory.stores.embedders.adapter import EmbedderConfig


class NoEmbedder:
    """An `Embedder` that embeds nothing: dimension 0, an empty space, and an error for who did not ask."""

    name = "none"
    model = ""
    enabled = False
    dimension = 0
    max_chars = 0
    space = ""

    def __init__(self, config: EmbedderConfig) -> None:
        self.config = config

    def embed_documents(self, texts: Sequence[str]) -> NoReturn:
        """Raises EmbedderError."""
        raise self._refusal()

    def embed_query(self, text: str) -> NoReturn:
        """Raises EmbedderError."""
        raise self._refusal()

    def _refusal(self) -> EmbedderError:
        return EmbedderError(
            self.name, self.model, "this installation searches by words only", "set EMBEDDER", kind="disabled"
        )
