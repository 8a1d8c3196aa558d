"""Plug-ins for tests, named by dotted path as an operator's are."""

from collections.abc import Sequence
from uuid import UUID

from memory.engine.plugins import Found, Question

ANSWERS: dict[str, Sequence[UUID]] = {}
"""What `Shelf` finds, by question."""


class Shelf:
    """Finds what `ANSWERS` says, and fails when it says nothing."""

    name = "shelf"

    def find(self, question: Question) -> Sequence[Found]:
        return [Found(memory, 1.0 / place) for place, memory in enumerate(ANSWERS[question.text], 1)]


class Nameless:
    """No retriever."""


class Usurper:
    """Calls itself by a name of Loci's own."""

    name = "dense"

    def find(self, question: Question) -> Sequence[Found]:
        return []


def by_letters(text: str) -> int:
    """A token a letter."""
    return len(text)


def by_fiat(text: str) -> str:
    """No counter."""
    return text
