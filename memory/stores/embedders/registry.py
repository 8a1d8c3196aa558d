"""From a configuration to its embedder: one of each in a process, whichever threads ask."""

from typing import Any

from memory.engine.embedding import Embedder, EmbedderError
from memory.engine.plugins import PluginError, at_path
from memory.stores.embedders.adapter import EmbedderConfig
from memory.stores.kept import Kept

__all__ = ["KINDS", "EmbedderConfig", "forget_embedders", "get_embedder"]

KINDS = {
    "minilm": "memory.stores.embedders.minilm.MiniLM",
    "minilm-l3": "memory.stores.embedders.minilm.MiniLM",
    "static": "memory.stores.embedders.static.Static",
    "multilingual": "memory.stores.embedders.multilingual.Multilingual",
    "openai": "memory.stores.embedders.openai.OpenAI",
    "ollama": "memory.stores.embedders.ollama.Ollama",
    "gemini": "memory.stores.embedders.gemini.Gemini",
    "fastembed": "memory.stores.embedders.fastembed.FastEmbed",
    "none": "memory.stores.embedders.none.NoEmbedder",
}


def get_embedder(config: EmbedderConfig) -> Embedder:
    """The process's embedder for `config`, built when first asked for; building loads no model yet.

    `config.kind` is a key of KINDS or the dotted path of a class that takes an EmbedderConfig and is an
    `Embedder`. Raises EmbedderError when there is no such thing.
    """
    return _embedders.get(config)


def forget_embedders() -> None:
    """Drop all embedders of this process."""
    _embedders.clear()


def _built(config: EmbedderConfig) -> Embedder:
    path = KINDS.get(config.kind, config.kind)
    if "." not in path:
        kinds = ", ".join(KINDS)
        raise _unusable(config, "there is no such kind", f"EMBEDDER is one of {kinds}, or the dotted path of a class")
    embedder: Any = _class_at(path, config)(config)
    lacking = [name for name in ("embed_documents", "embed_query", "name", "model") if not hasattr(embedder, name)]
    if lacking:
        raise _unusable(config, f"{path} is no Embedder: it lacks {', '.join(lacking)}", "set EMBEDDER")
    built: Embedder = embedder
    return built


def _class_at(path: str, config: EmbedderConfig) -> Any:
    """The class at the dotted `path`. Raises EmbedderError when it cannot be imported or is no class."""
    try:
        found = at_path(path)
    except PluginError as fault:
        raise _unusable(config, str(fault), "set EMBEDDER") from fault
    if not callable(found):
        raise _unusable(config, f"{path} is no class", "set EMBEDDER")
    return found


def _unusable(config: EmbedderConfig, problem: str, remedy: str) -> EmbedderError:
    return EmbedderError(config.kind, config.model, problem, remedy, kind="setting")


_embedders: Kept[EmbedderConfig, Embedder] = Kept(_built)
