"""One client for one configuration, and the operator's own by the settings."""

import pytest
from pytest_django import Settings

from memory.engine.language_model import Rejected
from memory.stores import llm
from memory.stores.llm import LanguageModelConfig, get_language_model


def test_equal_configurations_share_one() -> None:
    config = LanguageModelConfig("openai", "m", "https://h.example", "k")
    assert get_language_model(config) is get_language_model(
        LanguageModelConfig("openai", "m", "https://h.example", "k")
    )
    assert get_language_model(config) is not get_language_model(LanguageModelConfig("openai", "m", api_key="other"))
    assert "k'" not in repr(LanguageModelConfig("openai", "m", api_key="k"))


def test_an_unknown_provider_is_said() -> None:
    with pytest.raises(Rejected, match=r"llm\.provider is one of openai, ollama, gemini"):
        get_language_model(LanguageModelConfig("clippy", "m"))


def test_a_class_of_ones_own_is_for_operators_only() -> None:
    path = "memory.stores.llm.ollama.Ollama"
    assert get_language_model(LanguageModelConfig(path, "m", guarded=False)).model == "m"
    with pytest.raises(Rejected, match="no such provider"):
        get_language_model(LanguageModelConfig(path, "m"))
    with pytest.raises(Rejected, match="cannot be imported"):
        get_language_model(LanguageModelConfig("no.such.Class", "m", guarded=False))


def test_the_operators_model_comes_from_the_settings(settings: Settings) -> None:
    assert llm.configured() is None
    settings.LLM_PROVIDER, settings.LLM_MODEL, settings.LLM_API_KEY = "ollama", "qwen3:4b", "secret"
    found = llm.configured()
    assert found is not None
    assert (found.name, found.model) == ("ollama", "qwen3:4b")
    assert "secret" not in repr(llm.configuration())
    settings.LLM_MODEL = ""
    with pytest.raises(Rejected, match="set LLM_MODEL"):
        llm.configured()
