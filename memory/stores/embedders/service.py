"""What the embedders that are HTTP services share: batches, and the care a question's time needs."""

from abc import abstractmethod
from typing import Any

from memory.engine.embedding import EmbedderError, Profile
from memory.stores.embedders.adapter import Adapter, EmbedderConfig
from memory.stores.embedders.http import FAILURES, Patience, ServiceClient


class Service(Adapter):
    """An adapter that asks a service. Documents: `timeout` for each try of each batch. A question: for all tries."""

    largest_batch = 2048  # texts the provider takes in one request

    def __init__(
        self,
        config: EmbedderConfig,
        name: str,
        model: str,
        client: ServiceClient,
        profile: Profile | None = None,
    ) -> None:
        super().__init__(config, name, model, profile)
        self.client = client

    def _vectors(self, texts: list[str], *, query: bool) -> list[Any]:
        size = max(1, min(self.config.batch_size, self.largest_batch))
        budget = self.config.timeout if query else None
        found: list[Any] = []
        for at in range(0, len(texts), size):
            batch = texts[at : at + size]
            # checked batch by batch: a wrong answer must not cost the calls that follow
            found.extend(self._asked(batch, query, budget))
        return found

    def _asked(self, batch: list[str], query: bool, budget: float | None) -> Any:
        try:
            return self._checked(self._request(batch, query=query, budget=budget), len(batch))
        except EmbedderError as error:
            FAILURES.labels(self.name, error.kind).inc()
            raise

    @abstractmethod
    def _request(self, batch: list[str], *, query: bool, budget: float | None) -> list[Any]:
        """The vectors that the service answers for one batch, in order, unchecked. Raises EmbedderError."""

    def _rows(self, answer: Any, key: str, inner: str | None = None) -> list[Any]:
        """The list `answer[key]`, of each entry its `inner`. Raises EmbedderError when the answer has another form."""
        rows = answer.get(key) if isinstance(answer, dict) else None
        if isinstance(rows, list) and inner is not None:
            rows = [row.get(inner) if isinstance(row, dict) else None for row in rows]
        if not isinstance(rows, list) or not all(isinstance(row, list) and row for row in rows):
            remedy = "check that EMBEDDER_URL and EMBEDDER_MODEL are of an embedding service and model"
            raise self.error(f"the answer has no vectors under {key!r}", remedy, kind="malformed")
        return rows


def client_for(
    config: EmbedderConfig, name: str, model: str, base_url: str, patience: Patience | None, **key: str
) -> ServiceClient:
    """The client for `config` at `base_url`; `key` are `key_header` and `key_scheme` where they differ."""
    return ServiceClient(
        name, model, base_url, timeout=config.timeout, api_key=config.api_key, patience=patience, **key
    )
