"""The prompts: one text file each, what stands in it is the system message. Data goes into the user message, fenced."""

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str) -> str:
    """The prompt `name`, without white space around it."""
    return files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8").strip()
