"""Adapters of the language model port. `configured()` is the one that the installation's settings name."""

from memory.engine.language_model import LanguageModel
from memory.stores.llm.config import PROVIDERS, LanguageModelConfig
from memory.stores.llm.registry import forget_language_models, get_language_model

__all__ = [
    "PROVIDERS",
    "LanguageModelConfig",
    "configuration",
    "configured",
    "forget_language_models",
    "get_language_model",
]


def configuration() -> LanguageModelConfig:
    """The LLM_* settings. The operator's own address is not guarded: whoever sets it may call what they like."""
    from django.conf import settings

    return LanguageModelConfig(
        provider=settings.LLM_PROVIDER,
        url=settings.LLM_URL,
        model=settings.LLM_MODEL,
        api_key=settings.LLM_API_KEY,
        timeout=settings.LLM_TIMEOUT,
        guarded=False,
        setting="LLM_",
    )


def configured() -> LanguageModel | None:
    """The installation's language model, shared by the process; None when LLM_PROVIDER is `none`. Raises Rejected."""
    config = configuration()
    return None if config.provider in ("", "none") else get_language_model(config)
