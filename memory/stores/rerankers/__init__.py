"""Adapters of the reranker port. `configured()` is the service that the installation's settings name."""

from memory.engine.plugins import PluginError, at_path
from memory.engine.reranking import Reranker, RerankerError
from memory.stores.kept import Kept
from memory.stores.rerankers.service import SHAPES, RerankerConfig, ServiceReranker

__all__ = ["SHAPES", "RerankerConfig", "ServiceReranker", "configured", "forget_rerankers"]


def _built(config: RerankerConfig) -> Reranker:
    """A service, or an object of the class at a dotted path, which takes a RerankerConfig. Raises RerankerError."""
    if "." not in config.shape:
        return ServiceReranker(config)
    try:
        made = at_path(config.shape)
    except PluginError as fault:
        raise RerankerError("rejected", f"RERANKER: {fault}") from fault
    built: Reranker = made(config)
    return built


_rerankers: Kept[RerankerConfig, Reranker] = Kept(_built, size=8)


def forget_rerankers() -> None:
    """Drop all clients of this process."""
    _rerankers.clear()


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
