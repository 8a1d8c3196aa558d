"""How many tokens a text costs of a budget: by estimate, or by the operator's own counter."""

from collections.abc import Callable
from functools import lru_cache

from django.conf import settings

from memory.engine.plugins import PluginError, at_path
from memory.engine.text import estimate_tokens


@lru_cache(maxsize=8)
def _made(path: str) -> Callable[[str], int]:
    if not path:
        return estimate_tokens
    try:
        counter = at_path(path)
    except PluginError as fault:
        raise PluginError(f"TOKEN_COUNTER: {fault}") from fault
    if not callable(counter) or not isinstance(counter("two words"), int):
        raise PluginError(f"TOKEN_COUNTER: {path} takes no text or gives no whole number")
    counted: Callable[[str], int] = counter
    return counted


def counter() -> Callable[[str], int]:
    """What TOKEN_COUNTER names: a function from a text to a whole number. Raises `PluginError`."""
    return _made(settings.TOKEN_COUNTER)


def count_tokens(text: str) -> int:
    """The tokens of `text`, 0 for none."""
    return counter()(text) if text else 0
