"""Changes to a JSON text that leave every other character of it as it is."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_decoder = json.JSONDecoder()


class NotPlain(Exception):
    """The text is no JSON that can be changed safely: comments, a name that stands twice, something else than an
    object."""


@dataclass(frozen=True)
class Member:
    """A value in an object or list: where it (with its name) starts, where the value starts, where it ends."""

    name: str
    start: int
    value: int
    end: int


def parse(text: str) -> dict[str, Any]:
    """The text as an object; an empty text is an empty one. NotPlain for anything else."""
    if not text.strip():
        return {}
    try:
        document = json.loads(text, object_pairs_hook=_unambiguous)
    except ValueError as error:
        raise NotPlain(str(error)) from error
    if not isinstance(document, dict):
        raise NotPlain("it holds no JSON object")
    return document


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return document


def at(document: Any, path: Sequence[str]) -> Any:
    """The value at a path of names; None where there is none."""
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`: in place of what is there, or behind the last of its siblings."""
    if not text.strip():
        text = "{}\n"
    style = _Style.of(text)
    start, depth = _SPACE.match(text).end(), 0  # type: ignore[union-attr]
    for depth, name in enumerate(path):
        members = {member.name: member for member in _members(text, start)}
        found = members.get(name)
        if found is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _insert(text, start, list(members.values()), f"{json.dumps(name)}: ", value, depth + 1, style)
        start = found.value
    end = _decoder.raw_decode(text, start)[1]
    return text[:start] + style.dump(value, depth + 1) + text[end:]


def append(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at the end of the list at `path`, which is made if it is not there."""
    if at(parse(text), path) is None:
        return put(text, path, [value])
    start = _find(text, path)
    return _insert(text, start, _members(text, start), "", value, len(path) + 1, _Style.of(text))


def remove(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path`."""
    return _cut(text, _find(text, path[:-1]), path[-1])


def remove_entry(text: str, path: Sequence[str], index: int) -> str:
    """The text without one entry of the list at `path`."""
    return _cut(text, _find(text, path), str(index))


def _find(text: str, path: Sequence[str]) -> int:
    start = _SPACE.match(text).end()  # type: ignore[union-attr]
    for name in path:
        start = next(member.value for member in _members(text, start) if member.name == name)
    return start


def _members(text: str, start: int) -> list[Member]:
    """What the object or list at `start` holds; the entries of a list go by their number."""
    if text[start] not in "{[":
        raise NotPlain("what should be an object or a list is something else")
    named = text[start] == "{"
    found: list[Member] = []
    here = _skip(text, start + 1)
    while text[here] not in "}]":
        first, name = here, str(len(found))
        if named:
            name, here = _decoder.raw_decode(text, here)
            here = _skip(text, _skip(text, here) + 1)
        _, end = _decoder.raw_decode(text, here)
        found.append(Member(name, first, here, end))
        here = _skip(text, end)
        if text[here] == ",":
            here = _skip(text, here + 1)
    return found


def _skip(text: str, here: int) -> int:
    return _SPACE.match(text, here).end()  # type: ignore[union-attr]


def _insert(text: str, start: int, members: list[Member], name: str, value: Any, depth: int, style: "_Style") -> str:
    written = name + style.dump(value, depth)
    if members:
        end = members[-1].end
        return f"{text[:end]},{style.line(depth)}{written}{text[end:]}"
    closing = _skip(text, start + 1)
    return f"{text[: start + 1]}{style.line(depth)}{written}{style.line(depth - 1)}{text[closing:]}"


def _cut(text: str, start: int, name: str) -> str:
    members = _members(text, start)
    index = next(index for index, member in enumerate(members) if member.name == name)
    if len(members) == 1:
        closing = _skip(text, members[0].end)
        return text[: start + 1] + text[closing:]
    if index:
        return text[: members[index - 1].end] + text[members[index].end :]
    return text[: members[0].start] + text[members[1].start :]


@dataclass(frozen=True)
class _Style:
    """How a text is indented, and how its lines end."""

    indent: str
    newline: str

    @classmethod
    def of(cls, text: str) -> "_Style":
        found = _INDENT.search(text)
        return cls(found[1] if found else "  ", "\r\n" if "\r\n" in text else "\n")

    def line(self, depth: int) -> str:
        return self.newline + self.indent * depth

    def dump(self, value: Any, depth: int) -> str:
        written = json.dumps(value, indent=self.indent, ensure_ascii=False)
        return written.replace("\n", self.line(depth))
