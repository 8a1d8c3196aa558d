"""Writing an entry into a program's file, and taking it out again.

Of each entry that was written, a digest is kept in our own folder. What differs from it, somebody else has written or
changed: it is neither replaced nor removed.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loci_client.connecting import jsontext
from loci_client.connecting.jsontext import NotPlain
from loci_client.settings import config_dir, write_json, write_whole

INPUTS = ("inputs",)
BACKUP = ".before-loci"


class Left(Exception):
    """A file was left as it is; the message says why."""


@dataclass(frozen=True)
class Wanted:
    """What a program's file is to hold: the entry at `path`, and the question that goes with it, if any."""

    path: tuple[str, ...]
    entry: dict[str, Any]
    asks: dict[str, Any] | None = None


def digest(value: Any) -> str:
    """A digest of a JSON value, whatever the order of its names."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class Record:
    """What we wrote where."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or config_dir() / "connections.json"

    def _all(self) -> dict[str, Any]:
        try:
            document = json.loads(self._file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise Left(f"{self._file} cannot be read: {error}. It says what this command wrote; mend or remove it.")
        return document if isinstance(document, dict) else {}

    @staticmethod
    def _name(file: Path, path: Sequence[str]) -> str:
        return json.dumps([str(file), *path])

    def get(self, file: Path, path: Sequence[str]) -> dict[str, Any] | None:
        """What is known of an entry that we wrote."""
        found = self._all().get(self._name(file, path))
        return found if isinstance(found, dict) else None

    def put(self, file: Path, path: Sequence[str], facts: dict[str, Any] | None) -> None:
        """Remember an entry, or with None forget it."""
        known = self._all()
        known.pop(self._name(file, path), None)
        if facts is not None:
            known[self._name(file, path)] = facts
        write_json(self._file, known)


def connect(file: Path, wanted: Wanted, record: Record) -> bool:
    """Write the entry; False when it is there already. Left when the file cannot or must not be changed."""
    with _unharmed(file):
        return _connect(file, wanted, record)


def disconnect(file: Path, wanted: Wanted, record: Record) -> bool:
    """Take the entry out; False when there is none. Left when it is not, or no longer, what `connect` wrote."""
    with _unharmed(file):
        return _disconnect(file, wanted, record)


@contextlib.contextmanager
def _unharmed(file: Path) -> Iterator[None]:
    try:
        yield
    except (NotPlain, UnicodeError) as error:
        raise Left(
            f"{file} holds comments or is not plain JSON ({error}), so that it cannot be rewritten without loss. "
            "It stays as it is."
        )


def _connect(file: Path, wanted: Wanted, record: Record) -> bool:
    text, document = _read(file)
    known = record.get(file, wanted.path) or {}
    present = jsontext.at(document, wanted.path)
    asked = _question(document, wanted.asks)
    if present == wanted.entry and asked == wanted.asks:
        return False
    if present not in (None, wanted.entry) and digest(present) != known.get("entry"):
        raise Left(
            f"{file} has an entry {wanted.path[-1]!r} that this command did not write, or that was changed since. "
            "It stays as it is: take another name with --name, or remove it yourself."
        )
    if asked not in (None, wanted.asks) and digest(asked) != known.get("asks"):
        raise Left(f"{file} has an input {wanted.asks and wanted.asks['id']!r} already: take another name with --name.")
    absent = [list(path) for path in _containers(wanted) if jsontext.at(document, path) is None]
    facts = {
        "entry": digest(wanted.entry),
        "asks": wanted.asks and digest(wanted.asks),
        "made_file": known.get("made_file", not file.exists()),
        "made": known.get("made") or absent,
    }
    changed = _with_question(jsontext.put(text, wanted.path, wanted.entry), document, wanted.asks, asked)
    _check(file, text, changed, wanted)
    if file.exists():
        _write(file.with_name(file.name + BACKUP), text, mode=_mode(file))
    _write(file, changed, mode=_mode(file))
    record.put(file, wanted.path, facts)
    return True


def _disconnect(file: Path, wanted: Wanted, record: Record) -> bool:
    if not file.exists():
        record.put(file, wanted.path, None)
        return False
    text, document = _read(file)
    known = record.get(file, wanted.path)
    present = jsontext.at(document, wanted.path)
    if present is None:
        if known:
            record.put(file, wanted.path, None)
        return False
    if known is None or digest(present) != known["entry"]:
        why = "was not written by this command" if known is None else "was changed since this command wrote it"
        raise Left(f"The entry {wanted.path[-1]!r} in {file} {why}. It stays as it is: remove it yourself.")
    changed = _without_question(jsontext.remove(text, wanted.path), wanted, known)
    for path in known.get("made", []):
        if jsontext.at(jsontext.parse(changed), path) in ({}, []):
            changed = jsontext.remove(changed, path)
    if known.get("made_file") and jsontext.parse(changed) == {}:
        file.unlink()
    else:
        _check(file, text, changed, wanted)
        _write(file, changed, mode=_mode(file))  # the file as it was before `connect` still lies beside it
    record.put(file, wanted.path, None)
    return True


def _containers(wanted: Wanted) -> list[tuple[str, ...]]:
    """The objects and lists that what is written stands in, the innermost first."""
    around = [wanted.path[:depth] for depth in range(len(wanted.path) - 1, 0, -1)]
    return [*around, *([INPUTS] if wanted.asks else [])]


def _read(file: Path) -> tuple[str, dict[str, Any]]:
    """The file's text and what it says; an absent file is an empty text."""
    text = _text(file)
    return text, jsontext.parse(text)


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8") if file.exists() else ""


def _question(document: dict[str, Any], asks: dict[str, Any] | None) -> dict[str, Any] | None:
    if asks is None:
        return None
    questions = document.get(INPUTS[0]) or []
    named = [entry for entry in questions if isinstance(entry, dict) and entry.get("id") == asks["id"]]
    return named[0] if named else None


def _with_question(
    text: str, document: dict[str, Any], asks: dict[str, Any] | None, asked: dict[str, Any] | None
) -> str:
    if asks is None or asked == asks:
        return text
    if asked is not None:
        text = jsontext.remove_entry(text, INPUTS, document[INPUTS[0]].index(asked))
    return jsontext.append(text, INPUTS, asks)


def _without_question(text: str, wanted: Wanted, known: dict[str, Any]) -> str:
    document = jsontext.parse(text)
    asked = _question(document, wanted.asks)
    if asked is None or digest(asked) != known.get("asks"):
        return text
    return jsontext.remove_entry(text, INPUTS, document[INPUTS[0]].index(asked))


def _check(file: Path, before: str, text: str, wanted: Wanted) -> None:
    """Left when the new text says something else about anything that is not ours, or the file has changed."""
    if _others(before, wanted) != _others(text, wanted):
        raise Left(f"{file} is written in a way that this command cannot change safely. It stays as it is.")
    if _text(file) != before:
        raise Left(f"{file} was changed by somebody else in this moment: try again.")


def _mode(file: Path) -> int:
    """The file's mode; that of a file that is not there yet lets its owner alone read it."""
    return file.stat().st_mode & 0o7777 if file.exists() else 0o600


def _write(file: Path, text: str, *, mode: int) -> None:
    """Put the new text in place of the old in one step. A link that lies there is replaced, never followed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, text.encode("utf-8"), mode=mode)


def _others(text: str, wanted: Wanted) -> dict[str, Any]:
    """What a file says beside our entry and question."""
    document = jsontext.parse(text)
    container = jsontext.at(document, wanted.path[:-1])
    if isinstance(container, dict):
        container.pop(wanted.path[-1], None)
    for *outer, name in (wanted.path[:depth] for depth in range(len(wanted.path) - 1, 0, -1)):
        holder = jsontext.at(document, outer)
        if isinstance(holder, dict) and holder.get(name) == {}:
            del holder[name]
    if wanted.asks:
        questions = [entry for entry in document.get(INPUTS[0]) or [] if entry != _question(document, wanted.asks)]
        document[INPUTS[0]] = questions
    return {name: value for name, value in document.items() if value not in ({}, [])}
