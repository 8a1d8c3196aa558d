"""What all adapters do alike: clean and write the text, check the vectors, know dimension and space."""

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from memory.engine.embedding import (
    EmbedderError,
    Profile,
    Vectors,
    WrongDimension,
    profile_for,
    space_fingerprint,
    unit_rows,
)

PROBE = "How many dimensions has this model?"
BLANK = "."
# what no tokenizer or UTF-8 encoder should meet: NUL, and surrogates without their other half
_UNFIT = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class EmbedderConfig:
    """Which embedder to build. `timeout` is in seconds; `batch_size` in texts; `threads` are CPU threads of a
    local model. Equal configurations share one embedder in a process. The key shows in no repr."""

    kind: str
    url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False)
    timeout: float = 30.0
    batch_size: int = 32
    threads: int = 2


def fit(text: str) -> str:
    """`text` as any model takes it: unfit characters become spaces, blank text becomes a full stop
    (several providers refuse an empty input, and a static model has no vector for it)."""
    clean = _UNFIT.sub(" ", text)
    return clean if clean.strip() else BLANK


class Adapter(ABC):
    """An `Embedder` but for `_vectors`. Sets the dimension from the first vectors that the model gives."""

    enabled = True

    def __init__(self, config: EmbedderConfig, name: str, model: str, profile: Profile | None = None) -> None:
        self.config, self.name, self.model = config, name, model
        self.profile = profile or profile_for(model)
        self._dimension = 0
        self._probing = threading.Lock()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.model}>"

    @property
    def max_chars(self) -> int:
        """Characters of ordinary text that fit the model's window."""
        return self.profile.max_chars

    @property
    def alike(self) -> tuple[float, float] | None:
        """The cosines of unrelated texts and of texts about the same thing, where they are known."""
        return self.profile.alike

    @property
    def dimension(self) -> int:
        """Components of a vector; the first reading may embed a probe. Raises EmbedderError."""
        if not self._dimension:
            with self._probing:
                if not self._dimension:
                    self._embed([PROBE], query=False)
        return self._dimension

    @property
    def space(self) -> str:
        """The fingerprint of the space; needs the dimension, so it may embed a probe. Raises EmbedderError."""
        return space_fingerprint(self.name, self.model, self.profile.document_transform, self.dimension, self.extras())

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (n, dimension), in order. Raises EmbedderError: all texts or none."""
        if isinstance(texts, str):
            raise TypeError("embed_documents takes a sequence of texts, not one text")
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._embed([self.profile.document(fit(text)) for text in texts], query=False)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector (dimension,) of a question. Raises EmbedderError."""
        vector: Vectors = self._embed([self.profile.query(fit(text))], query=True)[0]
        return vector

    def extras(self) -> Mapping[str, str | int]:
        """What else shapes this adapter's document vectors: part of the space."""
        return {}

    @abstractmethod
    def _vectors(self, texts: list[str], *, query: bool) -> Any:
        """Rows of floats, one for each of `texts` (never empty, already clean and written as the profile says)."""

    def _embed(self, texts: list[str], *, query: bool) -> Vectors:
        return self._checked(self._vectors(texts, query=query), len(texts))

    def _checked(self, rows: Any, count: int) -> Vectors:
        """`rows` as unit vectors, or the EmbedderError that says what is wrong with them."""
        if len(rows) != count:
            raise self.error(f"sent {len(rows)} vectors for {count} texts", kind="malformed")
        lengths = {len(row) for row in rows}
        expected = self._dimension or len(rows[0])
        for got in lengths - {expected}:
            raise WrongDimension(expected, got, self.name, self.model)
        try:
            vectors = unit_rows(np.asarray(rows, dtype=np.float32))
        except (TypeError, ValueError, OverflowError) as fault:
            reason = str(fault) if "vector" in str(fault) else "a vector does not consist of numbers"
            raise self.error(reason, kind="malformed") from None
        self._dimension = expected
        return vectors

    def error(self, problem: str, remedy: str = "", *, kind: str = "error", retryable: bool = False) -> EmbedderError:
        """An EmbedderError in this embedder's name."""
        return EmbedderError(self.name, self.model, problem, remedy, kind=kind, retryable=retryable)
