"""Adapters of the reranker port. `configured()` is the service that the installation's settings name."""

from memory.engine.reranking import Reranker
from memory.stores.kept import Kept
from memory.stores.rerankers.service import SHAPES, RerankerConfig, ServiceReranker

__all__ = ["SHAPES", "RerankerConfig", "ServiceReranker", "configured"]

_rerankers: Kept[RerankerConfig, Reranker] = Kept(ServiceReranker, size=8)


def configured() -> Reranker | None:
    """The RERANKER_* settings' service, shared by the process; None when RERANKER is `none`. Raises RerankerError."""
    from django.conf import settings

    if settings.RERANKER in ("", "none"):
        return None
    return _rerankers.get(
        RerankerConfig(
            settings.RERANKER,
            settings.RERANKER_URL,
            settings.RERANKER_MODEL,
            settings.RERANKER_API_KEY,
            settings.RERANKER_TIMEOUT,
        )
    )
