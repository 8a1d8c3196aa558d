"""Adapters of the embedder port. `configured()` is the one that the installation's settings name."""

from memory.engine.embedding import Embedder
from memory.stores.embedders.registry import EmbedderConfig, get_embedder

__all__ = ["EmbedderConfig", "configuration", "configured", "get_embedder"]


def configuration() -> EmbedderConfig:
    """The EMBEDDER_* settings."""
    from django.conf import settings

    return EmbedderConfig(
        kind=settings.EMBEDDER,
        url=settings.EMBEDDER_URL,
        model=settings.EMBEDDER_MODEL,
        api_key=settings.EMBEDDER_API_KEY,
        timeout=settings.EMBEDDER_TIMEOUT,
        batch_size=settings.EMBEDDER_BATCH_SIZE,
        threads=settings.EMBEDDER_THREADS,
    )


def configured() -> Embedder:
    """The installation's embedder, shared by the process. Raises EmbedderError when the settings name none."""
    return get_embedder(configuration())
