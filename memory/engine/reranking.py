"""The reranker port, and a language model as a reranker that reads a list.

A reranker says which of the results go first. It never loses one: what it does not name follows in its old order. A
reply that cannot be trusted is refused, and then the old order stays. Refused are a number that is not there or stands
twice, and, of a reranker that is to name all of them, one that is missing.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, Protocol

from memory.engine.fencing import fenced
from memory.engine.language_model import LanguageModel, LanguageModelError, Message
from memory.engine.prompts import prompt

Manner = Literal["relevant_only", "full_reorder"]
MOST: Final = 50
"""Passages that one call reads, at most."""
SHOWN: Final = 400
"""Characters of a passage that the model is shown."""
_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"order": {"type": "array", "items": {"type": "integer"}}},
    "required": ["order"],
    "additionalProperties": False,
}


class RerankerError(Exception):
    """The results could not be put into another order. `why` is one word, for `degraded`; the text is for operators
    and holds no passage."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(why, message)
        self.why = why

    def __str__(self) -> str:
        return str(self.args[1])


class Reranker(Protocol):
    """Puts results into another order. Safe to share between threads."""

    @property
    def name(self) -> str:
        """A word for `degraded` and traces."""
        ...

    def order(self, query: str, passages: Sequence[str], *, deadline: float) -> Sequence[int]:
        """Places in `passages` (from 0), the best first; those left out follow in their old order.

        Before `deadline` on time.monotonic()'s clock. Raises RerankerError.
        """
        ...


def reordered(count: int, order: Sequence[int], *, complete: bool = False) -> list[int]:
    """All places 0 … count - 1: those of `order` first, the rest after them as they were.

    Raises RerankerError (`bad_reply`) when `order` names a place that is not there or one twice, or when it has to be
    `complete` and is not.
    """
    named = set(order)
    if len(named) < len(order):
        raise RerankerError("bad_reply", "the reranker names a result twice")
    if not all(0 <= place < count for place in named):
        raise RerankerError("bad_reply", f"the reranker names a result that is not among the {count} it was given")
    if complete and len(named) < count:
        raise RerankerError("bad_reply", f"the reranker leaves out {count - len(named)} of {count} results")
    return [*order, *(place for place in range(count) if place not in named)]


class ListwiseReranker:
    """A language model that reads all passages at once.

    `relevant_only`: it names those that help; naming none keeps the order. `full_reorder`: it names each once.
    """

    def __init__(self, model: LanguageModel, manner: Manner = "relevant_only") -> None:
        self._model, self._manner = model, manner

    @property
    def name(self) -> str:
        """`llm`."""
        return "llm"

    @property
    def model(self) -> str:
        """Provider and model."""
        return f"{self._model.name}/{self._model.model}"

    @property
    def address(self) -> str:
        """A digest of the model's address, when it has one."""
        return str(getattr(self._model, "address", ""))

    def order(self, query: str, passages: Sequence[str], *, deadline: float) -> list[int]:
        """As the port says; of more than 50 passages it reads the first 50."""
        read = passages[:MOST]
        if len(read) < 2:
            return list(range(len(passages)))
        full = self._manner == "full_reorder"
        messages = [
            Message("system", prompt("rerank_full" if full else "rerank_relevant")),
            Message("user", _asked(query, read)),
        ]
        try:
            reply = self._model.chat(messages, max_tokens=200 + 8 * len(read), deadline=deadline, schema=_SCHEMA)
        except LanguageModelError as error:
            raise RerankerError(error.kind, str(error)) from error
        # passages are numbered from 1 for the model
        order = reordered(len(read), [int(number) - 1 for number in reply.parsed["order"]], complete=full)
        return [*order, *range(len(read), len(passages))]


def _asked(query: str, passages: Sequence[str]) -> str:
    numbered = "\n".join(
        f"Passage {number}:\n{fenced(shortened(passage), 'passage')}" for number, passage in enumerate(passages, 1)
    )
    return f"Question:\n{fenced(query, 'question')}\n\n{numbered}"


def shortened(text: str, most: int = SHOWN) -> str:
    """`text` on one line, of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
