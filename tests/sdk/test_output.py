"""What a server says reaches a terminal as text and as nothing else."""

import io
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loci_client.cli import login
from loci_client.cli.main import main
from loci_client.cli.output import harmless
from tests.sdk.terminal import Terminal
from tests.servers.scripted import Request, ScriptedServer, says

ESCAPES = "\x1b]0;owned\x07\x9b2J\x7f\r\u202egpj\u2066x\u2069\ud800"
COMMANDING = re.compile(r"[^\n\t\x20-\x7e\xa0-\u2027\u202f-\u2065\u2070-\ud7ff\ue000-\U0010ffff]")


def hostile(request: Request) -> Any:
    """A right answer to anything, with escapes wherever a text stands."""
    if request.path.endswith("/recall"):
        hit = {"id": f"m{ESCAPES}", "text": f"fax{ESCAPES}", "score": 0.5, "source": f"ward{ESCAPES}", "retrievers": []}
        results = [{**hit, "metadata": {"timestamp": ESCAPES}}]
        return {"query": "q", "results": results, "degraded": [f"slow{ESCAPES}"], "notes": [f"note{ESCAPES}"]}
    if request.method == "GET":
        return {"version": f"1{ESCAPES}", "embedding": f"model{ESCAPES}", "tenant": {"memories": 1}}
    outcomes = [
        {"id": None, "status": "failed", "reason": f"because{ESCAPES}", "item": 0},
        {"id": f"m{ESCAPES}", "status": f"stored{ESCAPES}", "item": 0},
    ]
    return {"results": outcomes, "stored": 1, "duplicates": 0, "failed": 1}


@pytest.fixture
def at_hostile(terminal: Terminal, scripted: ScriptedServer) -> Terminal:
    """A terminal whose Loci means harm."""
    scripted.answer = hostile
    terminal.variables |= {"LOCI_URL": scripted.url, "LOCI_API_KEY": "loci_sk_test"}
    return terminal


def problem() -> Any:
    """A refusal that is full of escapes too."""
    return {"detail": f"No{ESCAPES}", "code": f"code{ESCAPES}", "request_id": f"r-1{ESCAPES}"}


@pytest.mark.parametrize(
    "words",
    [
        ["search", "fax"],
        ["search", "fax", "--context"],
        ["search", "fax", "--json"],
        ["remember", "fax"],
        ["remember", "fax", "--json"],
        ["status"],
        ["status", "--json"],
        ["ingest", "notes"],
        ["ingest", "notes", "--json"],
    ],
    ids=" ".join,
)
def test_no_answer_commands_the_terminal(at_hostile: Terminal, words: list[str]) -> None:
    notes = at_hostile.folder / "notes"
    notes.mkdir()
    (notes / f"a{ESCAPES[:-1]}.md").write_text("The kettle is green.")
    said = at_hostile.loci(*words)
    assert "owned" in said.out + said.err and "Traceback" not in said.err
    assert COMMANDING.findall(said.out + said.err) == []


@pytest.mark.parametrize("words", [["status"], ["status", "--json"]], ids=" ".join)
def test_no_refusal_commands_the_terminal(at_hostile: Terminal, scripted: ScriptedServer, words: list[str]) -> None:
    scripted.script(*[says(problem(), 500)] * 9)
    said = at_hostile.loci(*words)
    assert "No" in said.out + said.err and "r-1" in said.out + said.err
    assert COMMANDING.findall(said.out + said.err) == []


def test_the_bridges_log_commands_no_terminal(at_hostile: Terminal, scripted: ScriptedServer) -> None:
    scripted.script(says(problem(), 403))
    said = at_hostile.loci("mcp", given='{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    assert said.err.startswith("loci mcp: Loci answers 403: No") and COMMANDING.findall(said.out + said.err) == []


@given(st.text())
def test_whatever_commands_is_replaced(text: str) -> None:
    assert COMMANDING.findall(harmless(text)) == []


def test_what_only_shows_stays() -> None:
    text = "Grüße,\tمی\u200cخواهم\u200f 東京\u3000駅 12\xa0000 👩\u200d👧 \ue0b0\n"
    assert harmless(text) == text
    assert harmless("a\r\nb\rc") == "a\nb�c"


class Welcoming:
    """A Loci that takes every key."""

    def __init__(self, url: str, key: str) -> None: ...

    def __enter__(self) -> "Welcoming":
        return self

    def __exit__(self, *error: object) -> None: ...

    def status(self) -> None: ...


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://localhost.evil.example", True),
        ("http://127.evil.example", True),
        ("http://127.0.0.1.evil.example:8000", True),
        ("http://evil.example?@localhost", True),
        ("http://localhost@evil.example", True),
        ("HTTP://evil.example", True),
        ("http://[::2]", True),
        ("http://10.0.0.1", True),
        ("https://evil.example", False),
        ("http://localhost", False),
        ("http://LOCALHOST:8000/loci", False),
        ("http://127.0.0.1:8000", False),
        ("http://127.9.9.9", False),
        ("http://[::1]:8000", False),
    ],
)
def test_a_key_goes_over_http_to_this_machine_only_without_a_warning(
    url: str, warned: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(login, "Loci", Welcoming)
    monkeypatch.setattr("sys.stdin", io.StringIO("loci_sk_test\n"))
    assert main(["login", url]) == 0
    assert ("the key can be read on its way" in capsys.readouterr().err) == warned
