"""Any endpoint that speaks OpenAI's `/embeddings`: OpenAI, vLLM, TEI, LiteLLM, llama.cpp, Mistral, …"""

import re
from typing import Any

from memory.stores.embedders.adapter import EmbedderConfig
from memory.stores.embedders.http import Patience
from memory.stores.embedders.service import Service, client_for

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "text-embedding-3-small"
_VERSION = re.compile(r"/v\d+[a-z0-9]*(/|$)")


def base_url(url: str) -> str:
    """`url` up to what comes before `/embeddings`; `/v1` is added when the path names no version."""
    url = (url.strip() or DEFAULT_URL).rstrip("/").removesuffix("/embeddings").rstrip("/")
    return url if _VERSION.search(url) else url + "/v1"


class OpenAI(Service):
    """`POST {base}/embeddings`. The key is optional, as local servers need none."""

    def __init__(self, config: EmbedderConfig, patience: Patience | None = None) -> None:
        model = config.model or DEFAULT_MODEL
        super().__init__(config, "openai", model, client_for(config, "openai", model, base_url(config.url), patience))

    def _request(self, batch: list[str], *, query: bool, budget: float | None) -> list[Any]:
        body = {"model": self.model, "input": batch, "encoding_format": "float"}
        answer = self.client.post("/embeddings", body, budget=budget)
        rows = self._rows(answer, "data", "embedding")
        places = [entry.get("index", at) for at, entry in enumerate(answer["data"])]
        if sorted(places, key=str) != sorted(range(len(rows)), key=str):
            raise self.error("the vectors' indices are not 0, 1, 2, …", kind="malformed")
        return [row for _, row in sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])]
