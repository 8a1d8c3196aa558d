"""Any model that `fastembed` knows (the extra `fastembed`); the first use downloads it from a model hub."""

import threading
from importlib import import_module
from typing import Any

from memory.engine.embedding import EmbedderError
from memory.stores.embedders.adapter import Adapter, EmbedderConfig

DEFAULT_MODEL = "BAAI/bge-small-en-v1.5"


class FastEmbed(Adapter):
    """fastembed's TextEmbedding. Loads on first use, once; its own prefixes are not used, the profile's are."""

    def __init__(self, config: EmbedderConfig) -> None:
        super().__init__(config, "fastembed", config.model or DEFAULT_MODEL)
        self._loading = threading.Lock()
        self._engine: Any = None

    def _vectors(self, texts: list[str], *, query: bool) -> list[Any]:
        engine = self._load()
        return list(engine.embed(texts, batch_size=max(1, self.config.batch_size)))

    def _load(self) -> Any:
        if self._engine is None:
            with self._loading:
                if self._engine is None:
                    self._engine = self._read()
        return self._engine

    def _read(self) -> Any:
        try:
            engine = import_module("fastembed")
        except ImportError:
            raise self.error(
                "the package fastembed is not installed", "pip install 'loci[fastembed]'", kind="missing"
            ) from None
        try:
            return engine.TextEmbedding(model_name=self.model, threads=max(1, self.config.threads))
        except ValueError as fault:
            raise self.error(
                f"fastembed does not know the model ({fault})", "set EMBEDDER_MODEL", kind="missing"
            ) from None
        except Exception as fault:  # the hub's client raises what its HTTP library raises
            raise self._unreachable(fault) from fault

    def _unreachable(self, fault: Exception) -> EmbedderError:
        return self.error(
            f"the model cannot be had ({type(fault).__name__})",
            "it is downloaded once: allow that, or copy fastembed's cache here",
            kind="connect",
            retryable=True,
        )
