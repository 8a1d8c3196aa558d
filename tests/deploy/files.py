"""The files of `deploy/` as the tests read them."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.local.running import ROOT

DEPLOY = ROOT / "deploy"
_VARIABLE = re.compile(r"(?<!\$)\$\{(\w+)(?::?[-?][^}]*)?\}")


def compose() -> dict[str, Any]:
    """The compose file, its anchors resolved, its variables not."""
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def variables(text: str) -> set[str]:
    """The variables that a compose file takes from its environment."""
    return set(_VARIABLE.findall(text))


def env_file(path: Path) -> dict[str, str]:
    """Names and values of an env file."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def substituted(value: Any, given: dict[str, str]) -> Any:
    """A compose value as the engine fills it in. KeyError for a variable that has neither value nor default."""
    if isinstance(value, dict):
        return {name: substituted(inner, given) for name, inner in value.items()}
    if isinstance(value, list):
        return [substituted(inner, given) for inner in value]
    if not isinstance(value, str):
        return value

    def fill(match: re.Match[str]) -> str:
        default = re.search(r":-([^}]*)\}$", match[0])
        return given.get(match[1]) or (default[1] if default else given[match[1]])

    return _VARIABLE.sub(fill, value).replace("$$", "$")


@dataclass(frozen=True)
class Instruction:
    """An instruction of a Dockerfile, its lines joined."""

    stage: str
    word: str
    rest: str


def dockerfile() -> list[Instruction]:
    """The image's instructions, in order."""
    text = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE))
    found, stage = [], ""
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stage = rest.rpartition(" AS ")[2]
        found.append(Instruction(stage, word, " ".join(rest.split())))
    return found


@dataclass(frozen=True)
class Unit:
    """A systemd unit: sections with their directives, each with all its values."""

    path: Path
    sections: dict[str, dict[str, list[str]]]

    def __str__(self) -> str:
        return self.path.name

    def command(self) -> list[str]:
        """What it starts; none for a timer."""
        return shlex.split(self.sections.get("Service", {}).get("ExecStart", [""])[0])


def units() -> list[Unit]:
    """All units of `deploy/systemd`."""
    return [_unit(path) for path in sorted((DEPLOY / "systemd").iterdir())]


def _unit(path: Path) -> Unit:
    sections: dict[str, dict[str, list[str]]] = {}
    current: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals, f"{path.name}: {line}"
            current.setdefault(name, []).append(value)
    return Unit(path, sections)
