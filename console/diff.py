"""What changed between two versions of a memory: word by word, and field by field."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from django.utils.translation import gettext as _

from console.kinds import kind_name
from memory.engine.types import Record

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST_WORDS = 3000
Piece = tuple[str, bool]
"""A stretch of text, and whether it is on this side only."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field with its older and its newer value."""

    name: str
    older: str
    newer: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions side by side."""

    was: Sequence[Piece]
    now: Sequence[Piece]
    fields: Sequence[FieldChange]

    @property
    def same_text(self) -> bool:
        """Whether only fields differ."""
        return "".join(text for text, _only in self.was) == "".join(text for text, _only in self.now)


def compare(older: Record, newer: Record) -> Comparison:
    """What is different in `newer`."""
    was, now = word_diff(older.text, newer.text)
    return Comparison(was, now, _fields(older.payload, newer.payload))


def differ(older: Record, newer: Record) -> bool:
    """Whether there is anything to show."""
    return older.text != newer.text or bool(_fields(older.payload, newer.payload))


def word_diff(older: str, newer: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces; texts too long to compare by word are one piece each."""
    left, right = _WORDS.findall(older), _WORDS.findall(newer)
    if max(len(left), len(right)) > MOST_WORDS:
        return [(older, False)], [(newer, False)]
    was: list[Piece] = []
    now: list[Piece] = []
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        _add(was, "".join(left[a:b]), tag != "equal")
        _add(now, "".join(right[c:d]), tag != "equal")
    return was, now


def _add(pieces: list[Piece], text: str, only: bool) -> None:
    if text:
        pieces.append((text, only))


def _fields(older: Mapping[str, Any], newer: Mapping[str, Any]) -> list[FieldChange]:
    pairs = [
        (_("Tags"), *(", ".join(f"#{tag}" for tag in side["tags"]) for side in (older, newer))),
        (_("Kind"), *(kind_name(side["kind"]) if side["kind"] else "" for side in (older, newer))),
    ]
    before, after = older["metadata"], newer["metadata"]
    pairs.extend((key, plain(before.get(key)), plain(after.get(key))) for key in sorted({*before, *after}))
    return [FieldChange(name, was, now) for name, was, now in pairs if was != now]


def plain(value: Any) -> str:
    """A metadata value as people read it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
