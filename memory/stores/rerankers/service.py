"""Rerankers that score: an HTTP endpoint `/rerank` of Cohere's, Jina's or TEI's shape.

    cohere   POST {url}/v2/rerank   {"model", "query", "documents"}   → {"results": [{"index", "relevance_score"}]}
    jina     POST {url}/v1/rerank   the same; so do vLLM, LiteLLM, Infinity and others
    tei      POST {url}/rerank      {"query", "texts"}                → [{"index", "score"}]

A score that is no number, and an index that is not there or stands twice, spoil the whole answer. A passage without a
score follows those with one.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prometheus_client import Counter, Histogram

from memory.engine.reranking import RerankerError, reordered
from memory.stores.outbound.client import BUCKETS, Patience, ServiceClient, Terms
from memory.stores.outbound.fault import Fault

SECONDS = Histogram(
    "loci_reranker_request_seconds",
    "Seconds of one request to a reranking service, each try for itself",
    ["provider", "outcome"],
    buckets=BUCKETS,
)
CALLS = Counter("loci_reranker_calls_total", "Calls of a reranking service, after all tries", ["provider", "outcome"])
LONGEST = 4000
"""Characters of a passage that are sent: more than a cross-encoder's window takes."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a kind of endpoint is asked, and what it answers."""

    path: str
    texts: str
    score: str
    results: str | None = "results"
    default_url: str = ""
    named: bool = True


SHAPES: Mapping[str, Shape] = {
    "cohere": Shape("/v2/rerank", "documents", "relevance_score", default_url="https://api.cohere.com"),
    "jina": Shape("/v1/rerank", "documents", "relevance_score", default_url="https://api.jina.ai"),
    "tei": Shape("/rerank", "texts", "score", results=None, named=False),
}
WHY = {"connect": "unreachable", "malformed": "bad_reply", "client_error": "rejected", "unauthorized": "rejected"}


@dataclass(frozen=True, slots=True)
class RerankerConfig:
    """Which service to ask. `timeout` is in seconds, for each try. The key shows in no repr."""

    shape: str
    url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False)
    timeout: float = 10.0


class ServiceReranker:
    """A `Reranker` behind HTTP. Its address is the operator's."""

    def __init__(self, config: RerankerConfig, patience: Patience | None = None) -> None:
        self.name, self.model = config.shape, config.model
        if config.shape not in SHAPES:
            raise RerankerError("rejected", f"RERANKER is one of none, {', '.join(SHAPES)}, not {config.shape[:40]!r}")
        self._shape = SHAPES[config.shape]
        if self._shape.named and not config.model:
            raise RerankerError("rejected", f"the reranker {config.shape} needs a model: set RERANKER_MODEL")
        terms = Terms("a reranker", "RERANKER_URL", "RERANKER_API_KEY", "RERANKER_MODEL", SECONDS, max_bytes=2**22)
        base = (config.url.strip() or self._shape.default_url).rstrip("/").removesuffix(self._shape.path)
        try:
            self._client = ServiceClient(
                config.shape, base, terms, timeout=config.timeout, api_key=config.api_key, patience=patience
            )
        except Fault as fault:
            raise RerankerError("rejected", f"reranker {config.shape}: {fault}") from None

    def __repr__(self) -> str:
        return f"<ServiceReranker {self.name} {self.model} at {self._client.place}>"

    @property
    def address(self) -> str:
        """A digest of the service's address."""
        return self._client.address

    def order(self, query: str, passages: Sequence[str], *, deadline: float) -> list[int]:
        """As the port says: by falling score."""
        if not passages:
            return []
        outcome = "ok"
        try:
            scores = self._scores(query, passages, deadline)
            return reordered(len(passages), sorted(scores, key=lambda place: (-scores[place], place)))
        except RerankerError as error:
            outcome = error.why
            raise
        finally:
            CALLS.labels(self.name, outcome).inc()

    def _scores(self, query: str, passages: Sequence[str], deadline: float) -> dict[int, float]:
        """Score by place. Raises RerankerError."""
        shape, left = self._shape, deadline - time.monotonic()
        if left <= 0:
            raise RerankerError("timeout", f"reranker {self.name}: there is no time left for a request")
        body: dict[str, Any] = {"query": query, shape.texts: [passage[:LONGEST] for passage in passages]}
        body |= {"model": self.model} if shape.named else {"truncate": True}
        try:
            answer = self._client.post(shape.path, body, budget=left)
        except Fault as fault:
            # what the service says about it may quote what it was sent
            said = f"reranker {self.name}: {fault}"
            raise RerankerError(WHY.get(fault.kind, fault.kind), said) from None
        try:
            rows = answer if shape.results is None else answer[shape.results]
            found = [(row["index"], row[shape.score]) for row in rows]
        except (LookupError, TypeError):
            raise RerankerError("bad_reply", f"reranker {self.name}: the answer has another form") from None
        return self._checked(found, len(passages))

    def _checked(self, found: Sequence[tuple[Any, Any]], count: int) -> dict[int, float]:
        scores: dict[int, float] = {}
        for place, score in found:
            if type(place) is not int or not 0 <= place < count or place in scores:
                raise RerankerError("bad_reply", f"reranker {self.name}: an index is not there or stands twice")
            if type(score) not in (int, float) or not math.isfinite(score):
                raise RerankerError("bad_reply", f"reranker {self.name}: a score is no number")
            scores[place] = float(score)
        return scores
