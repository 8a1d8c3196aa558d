"""What a language model makes of a question: other ways to ask it, a note that might answer it, and, after a
conversation, the question in full. The questions and the conversation are data to it, fenced."""

import unicodedata
from collections.abc import Sequence
from typing import Any, Final

from memory.engine.fencing import fenced
from memory.engine.language_model import BadReply, LanguageModel, Message
from memory.engine.prompts import prompt
from memory.engine.reranking import shortened

VARIANTS: Final = 3
LONGEST: Final = 1000
"""Characters of what the model writes that are used; a longer reply is none of what was asked for."""
TURNS: Final = 8
"""Messages of a conversation that are looked at, the last ones."""
TURN: Final = 1000
"""Characters of each of them."""
_QUESTION: Final = 4096


def variants(model: LanguageModel, query: str, *, deadline: float) -> list[str]:
    """Up to 3 other ways to ask `query`, none of them `query` itself. Raises LanguageModelError."""
    schema = _object("queries", {"type": "array", "items": {"type": "string"}})
    found = _answer(model, "expand", _question(query), schema, 300, deadline)["queries"]
    known = {_plain(query)}
    kept: list[str] = []
    for each in found:
        text = _line_of(model, each)
        if 0 < len(text) <= LONGEST and _plain(text) not in known:
            known.add(_plain(text))
            kept.append(text)
    return kept[:VARIANTS]


def hypothetical(model: LanguageModel, query: str, *, deadline: float) -> str:
    """A note that might answer `query`, to be embedded as a document (HyDE). Raises LanguageModelError."""
    note: str = _answer(model, "hyde", _question(query), _object("note", {"type": "string"}), 300, deadline)["note"]
    return _text_of(model, note)


def rewritten(model: LanguageModel, query: str, history: Sequence[Message], *, deadline: float) -> str:
    """`query` as it would be asked without the conversation before it, of which the last 8 messages are looked at;
    `query` itself when there is none. Raises LanguageModelError."""
    turns = [message for message in history if message.text.strip()][-TURNS:]
    if not turns:
        return query
    said = "\n".join(fenced(shortened(message.text, TURN), message.role) for message in turns)
    asked = f"Conversation:\n{said}\n\n{_question(query)}"
    found: str = _answer(model, "rewrite", asked, _object("query", {"type": "string"}), 400, deadline)["query"]
    return _text_of(model, found)


def _answer(
    model: LanguageModel, name: str, asked: str, schema: dict[str, Any], max_tokens: int, deadline: float
) -> dict[str, Any]:
    messages = [Message("system", prompt(name)), Message("user", asked)]
    reply = model.chat(messages, max_tokens=max_tokens, deadline=deadline, schema=schema)
    parsed: dict[str, Any] = reply.parsed
    return parsed


def _text_of(model: LanguageModel, text: str) -> str:
    line = _line_of(model, text)
    if not 0 < len(line) <= LONGEST:
        raise BadReply(model.name, model.model, f"the text is empty or has over {LONGEST} characters")
    return line


def _line_of(model: LanguageModel, text: str) -> str:
    """`text` on one line. Raises BadReply for what no database and no encoder takes: halves of surrogate pairs, NUL
    and other control characters."""
    line = " ".join(text.split())
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in line[:LONGEST]):
        raise BadReply(model.name, model.model, "the text has control characters or halves of surrogate pairs")
    return line


def _question(query: str) -> str:
    return f"Question:\n{fenced(query[:_QUESTION], 'question')}"


def _object(name: str, kind: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: kind}, "required": [name], "additionalProperties": False}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("?!. ")
