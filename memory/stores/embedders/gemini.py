"""Google's Gemini API: `models/{model}:batchEmbedContents`, at most 100 texts a request."""

from fnmatch import fnmatchcase
from typing import Any

from memory.stores.embedders.adapter import EmbedderConfig
from memory.stores.embedders.http import Patience
from memory.stores.embedders.service import Service, client_for

DEFAULT_URL = "https://generativelanguage.googleapis.com"
DEFAULT_MODEL = "gemini-embedding-001"
# these are told the task by a field; gemini-embedding-2 by a prefix, which is its profile's
_BY_FIELD = ("gemini-embedding-001", "gemini-embedding-exp*", "text-embedding-00*")


def base_url(url: str) -> str:
    """The API's address with its version."""
    url = (url.strip() or DEFAULT_URL).rstrip("/")
    return url if url.rpartition("/")[2].startswith("v1") else url + "/v1beta"


class Gemini(Service):
    """Gemini's own API; the key goes into a header, not into the address."""

    largest_batch = 100

    def __init__(self, config: EmbedderConfig, patience: Patience | None = None) -> None:
        model = (config.model or DEFAULT_MODEL).removeprefix("models/")
        client = client_for(
            config, "gemini", model, base_url(config.url), patience, key_header="x-goog-api-key", key_scheme=""
        )
        super().__init__(config, "gemini", model, client)
        self._tasked = any(fnmatchcase(model, glob) for glob in _BY_FIELD)

    def extras(self) -> dict[str, str | int]:
        """The task that documents are embedded for."""
        return {"task": "RETRIEVAL_DOCUMENT"} if self._tasked else {}

    def _request(self, batch: list[str], *, query: bool, budget: float | None) -> list[Any]:
        name = f"models/{self.model}"
        requests: list[dict[str, Any]] = [{"model": name, "content": {"parts": [{"text": text}]}} for text in batch]
        if self._tasked:
            for request in requests:
                request["taskType"] = "RETRIEVAL_QUERY" if query else "RETRIEVAL_DOCUMENT"
        answer = self.client.post(f"/{name}:batchEmbedContents", {"requests": requests}, budget=budget)
        return self._rows(answer, "embeddings", "values")
