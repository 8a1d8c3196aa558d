"""Runs the documented commands without a shell: `curl` goes to the test client, `manage.py` to Django's commands."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

from django.core.management import call_command

from tests.cast import Caller

SERVER = "http://127.0.0.1:8000"
_FORM = re.compile(
    r"(?:(?P<name>[A-Z_]+)=\$\()?(?P<command>.*?)(?: +\| +python3 -c '(?P<python>[^']*)')?(?(name)\))", re.DOTALL
)
_VARIABLE = re.compile(r"\$([A-Z_]+)")


@dataclass(frozen=True)
class Answer:
    """What a `curl` was answered."""

    status: int
    document: Any


@dataclass
class Shell:
    """Runs commands for one caller. `variables` are those that the page has set so far."""

    caller: Caller
    variables: dict[str, str] = field(default_factory=dict)

    def run(self, command: str) -> Answer | None:
        """Run one command; the answer if it was a `curl` whose output is shown. AssertionError for an unknown form."""
        form = _FORM.fullmatch(command)
        assert form, f"a command of an unknown form: {command}"
        words = [self._filled(word) for word in shlex.split(form["command"])]
        run: Callable[[list[str]], tuple[str, Answer | None]]
        if words[0] == "curl":
            run = self._curl
        elif words[:2] == [".venv/bin/python", "manage.py"]:
            run = self._manage
        else:
            raise AssertionError(f"a command of an unknown form: {command}")
        said, answer = run(words)
        if form["python"]:
            assert answer is None or answer.status < 300, answer
            said = subprocess.run(
                [sys.executable, "-c", form["python"]], input=said, capture_output=True, text=True, check=True
            ).stdout
        if form["name"]:
            self.variables[form["name"]] = said.strip()
            return None
        return answer

    def _filled(self, word: str) -> str:
        return _VARIABLE.sub(lambda found: self.variables[found[1]], word)

    def _manage(self, words: list[str]) -> tuple[str, None]:
        output = StringIO()
        call_command(*words[2:], stdout=output)
        return output.getvalue(), None

    def _curl(self, words: list[str]) -> tuple[str, Answer]:
        method, url, headers, data = parsed(words)
        where = urlsplit(url)
        assert f"{where.scheme}://{where.netloc}" == SERVER, url
        if data is not None:
            json.loads(data)
            assert headers.pop("Content-Type") == "application/json"
        key = headers.pop("X-API-Key", "")
        caller = Caller(self.caller.tenant, key)
        path = f"{where.path}?{where.query}" if where.query else where.path
        response = caller.call(method, path, None if data is None else data.encode(), **headers)
        return response.content.decode(), Answer(response.status_code, json.loads(response.content))


def parsed(words: list[str]) -> tuple[str, str, dict[str, str], str | None]:
    """Method, URL, headers and body of a `curl`. Only the options that the documentation uses are known."""
    method, url, data = None, None, None
    headers: dict[str, str] = {}
    rest = iter(words[1:])
    for word in rest:
        if word in ("-s", "-sS", "--fail-with-body"):
            continue
        if word == "-X":
            method = next(rest)
        elif word == "-H":
            name, colon, value = next(rest).partition(": ")
            assert colon, f"no header: {name}"
            headers[name] = value
        elif word == "-d":
            data = next(rest)
        else:
            assert not word.startswith("-"), f"an option that is not known here: {word}"
            assert url is None, f"a second address: {word}"
            url = word
    assert url, words
    return method or ("GET" if data is None else "POST"), url, headers, data


def shape(value: Any) -> Any:
    """What two answers of the same form have in common: the names of all fields; a list stands for its elements'."""
    if isinstance(value, dict):
        return {name: "…" if name in OPEN else shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "…"


OPEN = frozenset({"parts", "ranks", "timings_ms", "raw"})
"""Objects whose fields depend on what was found."""
