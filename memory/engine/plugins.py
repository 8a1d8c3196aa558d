"""What one may bring along oneself: retrievers and a token counter, by dotted path in the settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, runtime_checkable
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Question:
    """What a retriever of one's own is asked. `tenant` is who asks; `seconds` is how long anybody waits."""

    tenant: UUID
    text: str
    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that a retriever of one's own found, with its own score: higher is better, on any scale. What counts is
    the rank that it comes to."""

    memory: UUID
    score: float


@runtime_checkable
class OwnRetriever(Protocol):
    """A source of hits of one's own: a class without arguments.

    It names memories; whether they may be seen Loci proves itself, by scope, filters and time, and drops what is not.
    It is asked from several threads at once, outside any transaction. What it raises is told as
    `retriever:<name>:failed`.
    """

    @property
    def name(self) -> str:
        """By this name it stands in answers, weights and traces: letters, digits and `_`, none of Loci's own."""
        ...

    def find(self, question: Question) -> Sequence[Found]:
        """Up to `question.count` memories, best first."""
        ...


class PluginError(Exception):
    """A dotted path in the settings names nothing usable; the text says which and why."""


def at_path(path: str) -> Any:
    """What the dotted `path` names. Raises `PluginError`."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as fault:
        raise PluginError(f"{path} cannot be imported ({fault})") from fault
