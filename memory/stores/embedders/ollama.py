"""Ollama: `POST /api/embed`, a batch at a time.

One text that a model answers with NaN fails its whole batch (500, "unsupported value: NaN"), and some
releases answer fewer vectors than texts. So a batch that fails by its content is asked again text by
text; the error is then that one text's. Releases before 0.3 know only `/api/embeddings`, one text at a time.
"""

from typing import Any

from memory.engine.embedding import EmbedderError
from memory.stores.embedders.adapter import EmbedderConfig
from memory.stores.embedders.http import Patience
from memory.stores.embedders.service import Service, client_for

DEFAULT_URL = "http://127.0.0.1:11434"
DEFAULT_MODEL = "nomic-embed-text"


def base_url(url: str) -> str:
    """The server's address, without `/api` or `/v1`."""
    return (url.strip() or DEFAULT_URL).rstrip("/").removesuffix("/v1").removesuffix("/api").rstrip("/")


class Ollama(Service):
    """Ollama's own API; the key is for a proxy in front of it."""

    largest_batch = 512

    def __init__(self, config: EmbedderConfig, patience: Patience | None = None) -> None:
        model = config.model or DEFAULT_MODEL
        super().__init__(config, "ollama", model, client_for(config, "ollama", model, base_url(config.url), patience))
        self._legacy = False

    def _request(self, batch: list[str], *, query: bool, budget: float | None) -> list[Any]:
        if self._legacy:
            return [self._legacy_one(text, budget) for text in batch]
        try:
            rows = self._embed_batch(batch, budget)
            if len(rows) == len(batch):
                return rows
        except EmbedderError as error:
            if self._is_legacy(error):
                self._legacy = True
                return self._request(batch, query=query, budget=budget)
            if len(batch) == 1 or error.kind not in ("server_error", "client_error", "malformed"):
                raise
        return [row for text in batch for row in self._one(text, budget)]

    def _one(self, text: str, budget: float | None) -> list[Any]:
        """The one vector for one text, in a list."""
        rows = self._embed_batch([text], budget)
        if len(rows) != 1:
            raise self.error(f"sent {len(rows)} vectors for 1 text", kind="malformed")
        return rows

    def _embed_batch(self, batch: list[str], budget: float | None) -> list[Any]:
        body = {"model": self.model, "input": batch, "truncate": True}
        return self._rows(self._post("/api/embed", body, budget), "embeddings")

    def _legacy_one(self, text: str, budget: float | None) -> Any:
        answer = self._post("/api/embeddings", {"model": self.model, "prompt": text}, budget)
        return self._rows({"embeddings": [answer]}, "embeddings", "embedding")[0]

    def _post(self, path: str, body: dict[str, Any], budget: float | None) -> Any:
        """The answer; the error for a model that is not there says how to get it."""
        try:
            return self.client.post(path, body, budget=budget)
        except EmbedderError as error:
            if error.kind == "client_error" and "not found" in error.problem and "model" in error.problem:
                missing = f"the model is not on {self.client.place}"
                raise self.error(missing, f"run `ollama pull {self.model}` there", kind="missing") from None
            raise

    @staticmethod
    def _is_legacy(error: EmbedderError) -> bool:
        return error.kind == "client_error" and "answered 404" in error.problem
