"""Runs the `loci` command as a person or a program does: a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "loci_client"]


@dataclass(frozen=True)
class Said:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Terminal:
    """A home, a folder, and an environment in which `loci` runs."""

    home: Path
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LOCI_", "XDG_"))}
        return {
            **kept,
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "PYTHONPATH": str(ROOT / "sdk" / "python"),
            "PYTHONWARNINGS": "error",
            "COLUMNS": "100",
            **self.variables,
        }

    def loci(self, *words: str | Path, given: str = "") -> Said:
        """Run a command to its end; `given` is its standard input."""
        ended = subprocess.run(
            [*COMMAND, *map(str, words)],
            cwd=self.folder, env=self.environment, input=given.encode(), capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        return Said(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def start(self, *words: str | Path) -> "subprocess.Popen[str]":
        """Start a command that one talks to while it runs."""
        return subprocess.Popen(
            [*COMMAND, *map(str, words)],
            cwd=self.folder, env=self.environment, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
