"""Which language model to call."""

from dataclasses import dataclass, field

PROVIDERS = ("openai", "ollama", "gemini")
"""What a tenant may choose; an operator also the dotted path of a class."""


@dataclass(frozen=True, slots=True)
class LanguageModelConfig:
    """Which language model to build. Equal configurations share one client in a process. The key shows in no repr.

    `timeout` is in seconds, for each try. `guarded`: the address comes from a tenant, so only public ones and those in
    `allowed` networks (`10.0.0.0/8`) are called, and `owner` is
    that tenant. `setting` begins the names of the settings in error messages.
    """

    provider: str
    model: str = ""
    url: str = ""
    api_key: str = field(default="", repr=False)
    timeout: float = 30.0
    guarded: bool = True
    allowed: tuple[str, ...] = ()
    owner: str = ""
    setting: str = "llm."

    def named(self, part: str) -> str:
        """The name of the setting for `part`: `llm.url` or `LLM_URL`."""
        return self.setting + (part.upper() if self.setting.isupper() else part)
