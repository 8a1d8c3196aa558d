"""The console's texts and their translations: found in templates and code, kept in `console/locale`, compiled.

    python -m tests.catalogue            bring every catalogue up to date, compile it, list what lacks a translation
    python -m tests.catalogue --check    change nothing; fail when one is out of date or incomplete

Pure Python: neither gettext's programs nor a library is needed. What is found: `_`, `gettext`, `gettext_lazy`,
`ngettext`, `pgettext` and the like with literal texts in `console/`, and `translate`, `blocktranslate` and `_("…")` in
`templates/`.
"""

import ast
import re
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCALE = ROOT / "console" / "locale"
HEADER = """Project-Id-Version: Loci
Language: {language}
MIME-Version: 1.0
Content-Type: text/plain; charset=UTF-8
Content-Transfer-Encoding: 8bit
Plural-Forms: {plural}
"""
PLURALS = {"de": "nplurals=2; plural=(n != 1);"}
ONE = {"_", "gettext", "gettext_lazy", "gettext_noop"}
TWO = {"ngettext", "ngettext_lazy"}
IN_CONTEXT = {"pgettext", "pgettext_lazy"}
_TOKEN = re.compile(r"({%.*?%}|{{.*?}}|{#.*?#})", re.DOTALL)
_LITERAL = re.compile(r"""_\((?:"([^"]*)"|'([^']*)')\)""")
_TRANSLATE = re.compile(r"""^trans(?:late)? +(?:"([^"]*)"|'([^']*)')""")
_PLACE = re.compile(r"%\(\w+\)\w|%%|\{\w*\}")
_LINE = re.compile(r'^(msgctxt|msgid_plural|msgid|msgstr(?:\[\d\])?)? ?"(.*)"$')
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


@dataclass(frozen=True, order=True)
class Key:
    """A text as the code has it."""

    text: str
    plural: str = ""
    context: str = ""


@dataclass
class Entry:
    """A text's translation, in each plural form; where it stands."""

    said: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)
    fuzzy: bool = False


def found() -> dict[Key, set[str]]:
    """Every text to translate, and the files that it stands in."""
    texts: dict[Key, set[str]] = {}
    sources = [(_in_code, sorted((ROOT / "console").rglob("*.py"))),
               (_in_template, sorted((ROOT / "templates").rglob("*.html")))]  # fmt: skip
    for read, files in sources:
        for file in files:
            for key in read(file.read_text()):
                texts.setdefault(key, set()).add(str(file.relative_to(ROOT)))
    return texts


def _in_code(source: str) -> Iterator[Key]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            said = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if name in ONE and len(said) == 1:
                yield Key(said[0])
            elif name in TWO and len(said) == 2:
                yield Key(said[0], said[1])
            elif name in IN_CONTEXT and len(said) == 2:
                yield Key(said[1], context=said[0])


def _in_template(source: str) -> Iterator[Key]:
    block: list[str] | None = None
    plural: list[str] | None = None
    for token in _TOKEN.split(source):
        inner = token[2:-2].strip()
        if token.startswith("{%") and re.match(r"(end)?blocktrans(late)?\b", inner):
            if block is not None:
                yield Key("".join(block), "".join(plural or []))
            block, plural = (None, None) if inner.startswith("end") else ([], None)
        elif block is not None and token.startswith("{%") and inner == "plural":
            plural = []
        elif block is not None:
            part = f"%({inner})s" if token.startswith("{{") else token.replace("%", "%%")
            (block if plural is None else plural).append(part)
        elif token.startswith(("{%", "{{")):
            for one, other in [*_TRANSLATE.findall(inner), *_LITERAL.findall(inner)]:
                yield Key((one or other).replace("%", "%%"))


def path_of(language: str) -> Path:
    """Where a language's catalogue lies."""
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def languages() -> list[str]:
    """The languages that there is a catalogue for."""
    return sorted(folder.name for folder in LOCALE.iterdir() if folder.is_dir())


def read(language: str) -> dict[Key, Entry]:
    """The translations of a catalogue; without its header."""
    entries: dict[Key, Entry] = {}
    for block in path_of(language).read_text().split("\n\n"):
        parts: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if match := _LINE.match(line):
                name = match[1] or name
                parts[name] = parts.get(name, "") + _plain(match[2])
        if parts.get("msgid"):
            said = [text for part, text in sorted(parts.items()) if part.startswith("msgstr")]
            key = Key(parts["msgid"], parts.get("msgid_plural", ""), parts.get("msgctxt", ""))
            entries[key] = Entry(said, set(), bool(re.search(r"^#,.*fuzzy", block, re.MULTILINE)))
    return entries


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text)


def _quoted(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(letter, letter) for letter in text) + '"'


def merged(language: str) -> dict[Key, Entry]:
    """What a catalogue should hold: the texts of the sources, with the translations that it has of them."""
    known = read(language) if path_of(language).exists() else {}
    entries = {}
    for key, places in sorted(found().items()):
        old = known.get(key, Entry())
        entries[key] = Entry(old.said or ["", ""][: 2 if key.plural else 1], places, old.fuzzy)
    return entries


def written(language: str, entries: Mapping[Key, Entry]) -> str:
    """A catalogue as a file."""
    head = HEADER.format(language=language, plural=PLURALS[language])
    lines = ['msgid ""', 'msgstr ""', *(_quoted(f"{line}\n") for line in head.splitlines())]
    for key, entry in entries.items():
        lines += ["", *(f"#: {place}" for place in sorted(entry.places)), *(["#, fuzzy"] if entry.fuzzy else [])]
        lines += [f"msgctxt {_quoted(key.context)}"] if key.context else []
        lines += [f"msgid {_quoted(key.text)}"]
        if key.plural:
            lines += [f"msgid_plural {_quoted(key.plural)}"]
            lines += [f"msgstr[{number}] {_quoted(text)}" for number, text in enumerate(entry.said)]
        else:
            lines += [f"msgstr {_quoted(entry.said[0])}"]
    return "\n".join(lines) + "\n"


def compiled(language: str, entries: Mapping[Key, Entry]) -> bytes:
    """A catalogue as gettext reads it."""
    pairs = {"": HEADER.format(language=language, plural=PLURALS[language])}
    for key, entry in entries.items():
        if all(entry.said) and not entry.fuzzy:
            name = (f"{key.context}\x04" if key.context else "") + key.text + (f"\0{key.plural}" if key.plural else "")
            pairs[name] = "\0".join(entry.said)
    return _machine_object(sorted((one.encode(), other.encode()) for one, other in pairs.items()))


def _machine_object(pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    pairs = list(pairs)
    start = 28
    texts = start + 16 * len(pairs)
    tables, data = [b"", b""], b""
    for side in (0, 1):
        for pair in pairs:
            tables[side] += struct.pack("<II", len(pair[side]), texts + len(data))
            data += pair[side] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), start, start + 8 * len(pairs), 0, texts)
    return head + tables[0] + tables[1] + data


def faults(language: str) -> list[str]:
    """What is wrong with a catalogue, each in a line."""
    wanted = merged(language)
    stale = sorted(set(read(language)) - set(wanted))
    wrong = [f"no longer in the sources: {key.text!r}" for key in stale]
    for key, entry in wanted.items():
        if entry.fuzzy or not all(entry.said):
            wrong.append(f"not translated: {key.text!r} ({', '.join(sorted(entry.places))})")
        elif any(set(_PLACE.findall(text)) != set(_PLACE.findall(key.plural or key.text)) for text in entry.said[-1:]):
            wrong.append(f"other placeholders than the source: {key.text!r}")
    if not wrong and path_of(language).read_text() != written(language, wanted):
        wrong.append("out of date: run python -m tests.catalogue")
    if not wrong and path_of(language).with_suffix(".mo").read_bytes() != compiled(language, wanted):
        wrong.append("compiled from something else: run python -m tests.catalogue")
    return wrong


def main(arguments: list[str]) -> int:
    """The command."""
    wrong = []
    for language in languages():
        if "--check" not in arguments:
            entries = merged(language)
            path_of(language).write_text(written(language, entries))
            path_of(language).with_suffix(".mo").write_bytes(compiled(language, entries))
        wrong += [f"{language}: {fault}" for fault in faults(language)]
    print("\n".join(wrong) or "Every text is translated.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
