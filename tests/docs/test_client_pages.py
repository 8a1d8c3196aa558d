"""What the pages about the SDK and the `loci` command show works, and nothing is left out of them."""

import argparse
import re
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from loci_client import Loci
from loci_client.cli.main import parser
from loci_client.connecting.programs import PROGRAMS
from tests.cast import Caller
from tests.docs.pages import DOCS, blocks, commands, first_column
from tests.sdk.terminal import COMMAND, Terminal

SDK, CLI = DOCS / "sdk.md", DOCS / "cli.md"
WATCHED = ("help", "json", "url")
"""Options that are explained once for all commands."""


@pytest.fixture
def demo(newcomer: Any) -> Caller:
    """Somebody whose memory nobody else writes to."""
    caller: Caller = newcomer("demo")
    return caller


@pytest.mark.committed
def test_the_sdks_examples_run(
    live_server: Any, demo: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOCI_URL", live_server.url)
    monkeypatch.setenv("LOCI_API_KEY", demo.key)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    names: dict[str, Any] = {}
    for number, block in enumerate(block for block in blocks(SDK) if block.language == "python"):
        example = compile(block.text, f"sdk.md, example {number}", "exec")
        with ThreadPoolExecutor(1) as aside:  # the browser of other tests keeps an event loop running in this thread
            aside.submit(exec, example, names).result()
    said = capsys.readouterr().out
    assert "Dana wants discharge summaries" in said and "somebody was quicker:" in said
    assert "1 retracted" in said and "item 200 text is blank" in said and "invalid_request /filters/ward" in said
    assert "[memory:" in names["prompt"]


@pytest.mark.committed
def test_the_commands_examples_run(live_server: Any, demo: Caller, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "work" / "notes").mkdir(parents=True)
    (tmp_path / "work" / "notes" / "a.md").write_text("A note.")
    variables = {"LOCI_URL": live_server.url, "LOCI_API_KEY": demo.key}
    terminal = Terminal(tmp_path / "home", tmp_path / "work", variables)
    ran = 0
    for block in blocks(CLI):
        for command in commands(block) if block.language == "sh" else ():
            for name, value in variables.items():
                command = command.replace(f'"${name}"', shlex.quote(value))
            said = _run(terminal, command)
            assert said.code == 0, (command, said)
            ran += 1
    assert ran > 10


def _run(terminal: Terminal, command: str) -> Any:
    given, pipe, rest = command.rpartition(" | ")
    words = shlex.split(rest)
    assert words[0] == "loci", command
    return terminal.loci(*words[1:], given=f"{shlex.split(given)[1]}\n" if pipe else "")


def _own_commands() -> dict[str, argparse.ArgumentParser]:
    return next(dict(action.choices) for action in parser()._actions if isinstance(action, argparse._SubParsersAction))


def test_every_command_is_documented_and_no_other() -> None:
    assert set(re.findall(r"^### `([a-z]+)", CLI.read_text(), re.MULTILINE)) == set(_own_commands())


@pytest.mark.parametrize("name", sorted(_own_commands()))
def test_every_option_is_documented(name: str) -> None:
    section = re.split(r"^###", CLI.read_text().partition(f"### `{name}")[2], maxsplit=1, flags=re.MULTILINE)[0]
    for action in _own_commands()[name]._actions:
        if action.dest not in WATCHED:
            wanted = action.option_strings[-1] if action.option_strings else action.metavar
            assert str(wanted) in section, f"{name}: {wanted}"


def test_every_program_and_method_is_documented_and_no_other() -> None:
    assert set(re.findall(r"`([a-z0-9-]+)`", " ".join(first_column(CLI)))) == set(PROGRAMS)
    offered = {name for name in vars(Loci) if not name.startswith("_")} - {"close"}
    assert set(re.findall(r"`(\w+)\(", " ".join(first_column(SDK)))) == offered


def test_the_command_is_the_one_that_is_installed() -> None:
    import tomllib

    from tests.docs.pages import ROOT

    installed = tomllib.loads((ROOT / "sdk/python/pyproject.toml").read_text())["project"]["scripts"]
    assert installed == {"loci": "loci_client.cli.main:main"} and COMMAND[-1] == "loci_client"
