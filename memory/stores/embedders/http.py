"""The HTTP client of the embedders that are services: the one of all services, in an embedder's words.

A call fails with an `EmbedderError` and nothing else; `memory.stores.outbound.client` lists its kinds.
"""

from collections.abc import Mapping
from typing import Any

from prometheus_client import Counter, Histogram

from memory.engine.embedding import EmbedderError
from memory.stores.outbound import client
from memory.stores.outbound.client import BUCKETS, Patience, Terms
from memory.stores.outbound.fault import Fault

__all__ = ["FAILURES", "SECONDS", "Patience", "ServiceClient"]

SECONDS = Histogram(
    "loci_embedder_request_seconds",
    "Seconds of one request to an embedding service, each try for itself",
    ["provider", "outcome"],
    buckets=BUCKETS,
)
FAILURES = Counter(
    "loci_embedder_failures_total",
    "Embedding calls that failed after all their tries",
    ["provider", "outcome"],
)
TERMS = Terms(
    service="an embedding service",
    url="EMBEDDER_URL",
    key="EMBEDDER_API_KEY",
    model="EMBEDDER_MODEL",
    seconds=SECONDS,
    smaller="lower EMBEDDER_BATCH_SIZE",
    hopeless={"NaN": "the model cannot embed this text"},  # Ollama
)
QUIET = frozenset({"unauthorized", "redirect"})  # a service's words about a key help nobody


class ServiceClient(client.ServiceClient):
    """Posts JSON to one embedding service. Pools connections; safe between threads."""

    def __init__(self, provider: str, model: str, base_url: str, **options: Any) -> None:
        self.model = model
        try:
            super().__init__(provider, base_url, TERMS, **options)
        except Fault as fault:
            raise self._error(provider, fault) from None

    def post(self, path: str, body: Mapping[str, Any], *, budget: float | None = None) -> Any:
        """As every client's. Raises EmbedderError."""
        try:
            return super().post(path, body, budget=budget)
        except Fault as fault:
            raise self._error(self.provider, fault) from None

    def _error(self, provider: str, fault: Fault) -> EmbedderError:
        said = f": {fault.said}" if fault.said and fault.kind not in QUIET else ""
        return EmbedderError(
            provider,
            self.model,
            fault.problem + said,
            fault.remedy,
            kind=fault.kind,
            retryable=fault.retryable,
            retry_after=fault.retry_after,
        )
