"""From a configuration to its language model: one of each in a process, whichever threads ask."""

from memory.engine.language_model import LanguageModel, Rejected
from memory.engine.plugins import PluginError, at_path
from memory.stores.kept import Kept
from memory.stores.llm.config import LanguageModelConfig

KINDS = {
    "openai": "memory.stores.llm.openai.OpenAI",
    "ollama": "memory.stores.llm.ollama.Ollama",
    "gemini": "memory.stores.llm.openai.Gemini",
}


def get_language_model(config: LanguageModelConfig) -> LanguageModel:
    """The process's client for `config`; building one calls nothing.

    `config.provider` is a key of KINDS or, unless it is guarded, the dotted path of a class that takes a
    LanguageModelConfig and is a `LanguageModel`. Raises Rejected when it cannot be built.
    """
    return _models.get(config)


def forget_language_models() -> None:
    """Drop all clients of this process."""
    _models.clear()


def _built(config: LanguageModelConfig) -> LanguageModel:
    path = KINDS.get(config.provider, "" if config.guarded else config.provider)
    known = f"{config.named('provider')} is one of {', '.join(KINDS)}"
    if "." not in path:
        raise Rejected(config.provider, config.model, "there is no such provider", known)
    try:
        made = at_path(path)
    except PluginError as fault:
        raise Rejected(config.provider, config.model, str(fault), known + ", or the dotted path of a class") from fault
    built: LanguageModel = made(config)
    return built


_models: Kept[LanguageModelConfig, LanguageModel] = Kept(_built, size=128)
