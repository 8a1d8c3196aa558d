"""`loci connect` and `disconnect`: other programs' files, changed without harm."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loci_client.connecting import jsontext
from loci_client.connecting.programs import PROGRAMS, Where
from tests.sdk.terminal import Terminal

URL, KEY = "https://loci.example", "loci_sk_secret"
OTHERS = """{
\t"theme": "dark",
\t"mcpServers": {
\t\t"files": {"command": "files", "args": ["--root", "/"]}
\t},
\t"emoji": "é ☕",
\t"last": [1,2,   3]
}
"""
SCOPES = [
    (name, project) for name, program in PROGRAMS.items() for project in (False, True) if program.project or not project
]


@pytest.fixture
def ready(terminal: Terminal) -> Terminal:
    """A terminal with address and key, which connecting needs no server for."""
    terminal.variables |= {"LOCI_URL": URL, "LOCI_API_KEY": KEY}
    return terminal


def file_of(terminal: Terminal, client: str, *, project: bool) -> Path:
    where = Where(terminal.home, terminal.folder, "linux", {"XDG_CONFIG_HOME": str(terminal.home / ".config")})
    return PROGRAMS[client].file(where, project=project)


def scope(project: bool) -> list[str]:
    return ["--project"] if project else []


@pytest.mark.parametrize(("client", "project"), SCOPES)
def test_connecting_and_disconnecting_leaves_a_folder_as_it_was(ready: Terminal, client: str, project: bool) -> None:
    file = file_of(ready, client, project=project)
    said = ready.loci("connect", client, *scope(project))
    assert said.code == 0, said.err
    assert "/mcp" in file.read_text() or client == "claude-desktop"
    assert ready.loci("connect", client, *scope(project), "--json").json == {"file": str(file), "changed": False}
    assert ready.loci("disconnect", client, *scope(project)).code == 0
    assert not file.exists()
    again = ready.loci("disconnect", client, *scope(project))
    assert (again.code, "There is no entry" in again.out) == (0, True)


@pytest.mark.parametrize(("client", "project"), SCOPES)
def test_only_a_file_of_ones_own_holds_the_key(ready: Terminal, client: str, project: bool) -> None:
    ready.loci("connect", client, *scope(project))
    file = file_of(ready, client, project=project)
    text = file.read_text()
    assert (KEY in text) == (not project and client != "vscode")
    if KEY in text:
        assert file.stat().st_mode & 0o777 == 0o600
    else:
        assert "LOCI_API_KEY" in text or "${input:loci-key}" in text
    record = (ready.home / ".config" / "loci" / "connections.json").read_text()
    assert KEY not in record


def test_the_shapes_are_those_that_the_programs_read(ready: Terminal) -> None:
    shown = {client: ready.loci("connect", client, "--print", "--json").json["add"] for client in PROGRAMS}
    bearer = {"Authorization": "Bearer ${LOCI_API_KEY}"}
    assert shown["claude-code"]["mcpServers"]["loci"] == {"type": "http", "url": f"{URL}/mcp", "headers": bearer}
    assert shown["cursor"]["mcpServers"]["loci"]["headers"] == {"Authorization": "Bearer ${env:LOCI_API_KEY}"}
    assert shown["vscode"]["inputs"][0]["id"] == "loci-key"
    assert shown["vscode"]["servers"]["loci"]["headers"] == {"Authorization": "Bearer ${input:loci-key}"}
    opencode = shown["opencode"]["mcp"]["servers"]["loci"]
    assert opencode == shown["opencode-1"]["mcp"]["loci"]
    assert (opencode["type"], opencode["oauth"]) == ("remote", False)
    assert opencode["headers"] == {"Authorization": "Bearer {env:LOCI_API_KEY}"}
    assert shown["claude-desktop"]["mcpServers"]["loci"]["env"] == {"LOCI_URL": URL, "LOCI_API_KEY": "YOUR_LOCI_KEY"}
    assert KEY not in json.dumps(shown)


def test_everything_else_in_a_file_stays_as_it_is(ready: Terminal) -> None:
    file = ready.home / ".claude.json"
    file.write_text(OTHERS)
    file.chmod(0o640)
    assert ready.loci("connect", "claude-code").code == 0
    text = file.read_text()
    added = json.loads(text)["mcpServers"]["loci"]
    assert added["url"] == f"{URL}/mcp"
    entry = json.dumps(added, indent="\t").replace("\n", "\n\t\t")
    behind = '{"command": "files", "args": ["--root", "/"]}'
    assert text == OTHERS.replace(behind, f'{behind},\n\t\t"loci": {entry}')
    assert file.stat().st_mode & 0o777 == 0o640
    assert file.with_name(".claude.json.before-loci").read_text() == OTHERS
    assert ready.loci("disconnect", "claude-code").code == 0
    assert file.read_text() == OTHERS


def test_a_new_address_takes_the_place_of_the_old_one(ready: Terminal) -> None:
    ready.loci("connect", "vscode", "--project")
    said = ready.loci("connect", "vscode", "--project", "--url", "https://other.example")
    assert said.code == 0, said.err
    written = json.loads((ready.folder / ".vscode" / "mcp.json").read_text())
    assert written["servers"]["loci"]["url"] == "https://other.example/mcp"
    assert [entry["description"] for entry in written["inputs"]] == ["Service key for https://other.example"]
    assert ready.loci("disconnect", "vscode", "--project").code == 0
    assert not (ready.folder / ".vscode" / "mcp.json").exists()


def test_an_entry_that_somebody_else_wrote_is_neither_replaced_nor_removed(ready: Terminal) -> None:
    file = ready.folder / ".mcp.json"
    theirs = '{"mcpServers": {"loci": {"type": "http", "url": "https://mine.example/mcp"}}}'
    file.write_text(theirs)
    said = ready.loci("connect", "claude-code", "--project")
    assert (said.code, "did not write" in said.err) == (1, True)
    said = ready.loci("disconnect", "claude-code", "--project")
    assert (said.code, "was not written by this command" in said.err) == (1, True)
    assert file.read_text() == theirs
    assert ready.loci("connect", "claude-code", "--project", "--name", "second").code == 0
    assert ready.loci("disconnect", "claude-code", "--project", "--name", "second").code == 0
    assert file.read_text() == theirs


def test_an_entry_that_was_changed_since_stays(ready: Terminal) -> None:
    ready.loci("connect", "cursor", "--project")
    file = ready.folder / ".cursor" / "mcp.json"
    changed = file.read_text().replace("loci.example", "loci.corp.example")
    file.write_text(changed)
    said = ready.loci("disconnect", "cursor", "--project", "--json")
    assert (said.code, "was changed since" in said.json["error"]["detail"]) == (1, True)
    assert file.read_text() == changed


@pytest.mark.parametrize(
    "text",
    [
        '{\n  // mine\n  "servers": {}\n}',
        '{"servers": {},}',
        '{"servers": {}, "servers": {}}',
        "[]",
        '{"servers": 3}',
        '{"servers": null}',
        '{"inputs": {}, "servers": {}}',
        "\ufeff{}",
    ],
)
def test_a_file_that_cannot_be_rewritten_without_loss_stays_and_one_is_told_what_to_add(
    ready: Terminal, text: str
) -> None:
    file = ready.folder / ".vscode" / "mcp.json"
    file.parent.mkdir()
    file.write_text(text)
    said = ready.loci("connect", "vscode", "--project")
    assert said.code == 1
    assert "It stays as it is" in said.err and '"servers"' in said.err and "${input:loci-key}" in said.err
    assert file.read_text() == text
    assert [path.name for path in file.parent.iterdir()] == ["mcp.json"]


def test_a_linked_file_stays_a_link(ready: Terminal) -> None:
    real = ready.folder / "dotfiles.json"
    real.write_text("{}")
    (ready.home / ".claude.json").symlink_to(real)
    assert ready.loci("connect", "claude-code").code == 0
    assert (ready.home / ".claude.json").is_symlink()
    assert "loci" in json.loads(real.read_text())["mcpServers"]


def test_a_backup_takes_the_place_of_a_link_and_never_follows_it(ready: Terminal) -> None:
    victim = ready.home / "victim"
    victim.write_text("precious")
    victim.chmod(0o644)
    file = ready.folder / ".mcp.json"
    file.write_text(OTHERS)
    file.chmod(0o600)
    backup = ready.folder / ".mcp.json.before-loci"
    backup.symlink_to(victim)
    assert ready.loci("connect", "claude-code", "--project").code == 0
    assert (victim.read_text(), victim.stat().st_mode & 0o777) == ("precious", 0o644)
    assert not backup.is_symlink() and backup.read_text() == OTHERS
    assert backup.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in ready.folder.iterdir()) == [".mcp.json", ".mcp.json.before-loci"]


@pytest.mark.parametrize("there", [True, False], ids=["there", "dangling"])
@pytest.mark.parametrize(
    ("client", "link"), [("claude-code", ".mcp.json"), ("cursor", ".cursor"), ("opencode", "opencode.json")]
)
def test_a_project_never_leads_to_a_file_outside_of_it(ready: Terminal, client: str, link: str, there: bool) -> None:
    victim = ready.home / "victim"
    (ready.folder / link).symlink_to(victim)
    file = victim / "mcp.json" if link == ".cursor" else victim
    if there:
        file.parent.mkdir(exist_ok=True)
        file.write_text("{}")
    before = {path: path.is_file() and path.read_text() for path in ready.home.rglob("*")}
    for words in (["connect", client], ["connect", client, "--print"], ["disconnect", client]):
        said = ready.loci(*words, "--project")
        assert (said.code, said.out) == (1, "")
        assert said.err.startswith(f"{file_shown(ready, client)} leads out of the project, to {file}. ")
    said = ready.loci("connect", client, "--project", "--json")
    assert (said.code, "leads out of the project" in said.json["error"]["detail"]) == (1, True)
    assert {path: path.is_file() and path.read_text() for path in ready.home.rglob("*")} == before


def file_shown(terminal: Terminal, client: str) -> Path:
    names = {"claude-code": ".mcp.json", "cursor": ".cursor/mcp.json", "opencode": "opencode.json"}
    return terminal.folder / names[client]


def test_disconnecting_a_project_takes_nothing_out_of_ones_own_file(ready: Terminal) -> None:
    assert ready.loci("connect", "claude-code").code == 0
    own = ready.home / ".claude.json"
    text = own.read_text()
    (ready.folder / ".mcp.json").symlink_to(own)
    assert ready.loci("disconnect", "claude-code", "--project").code == 1
    assert own.read_text() == text


def test_a_link_within_a_project_stays_one_and_a_circle_is_refused(ready: Terminal) -> None:
    (ready.folder / "shared.json").write_text("{}")
    (ready.folder / ".mcp.json").symlink_to("shared.json")
    assert ready.loci("connect", "claude-code", "--project").code == 0
    assert (ready.folder / ".mcp.json").is_symlink()
    assert "loci" in json.loads((ready.folder / "shared.json").read_text())["mcpServers"]
    (ready.folder / ".cursor").symlink_to(".cursor")
    said = ready.loci("connect", "cursor", "--project")
    assert (said.code, "Traceback" in said.err) == (1, False)


def test_our_own_files_take_the_place_of_a_link_too(ready: Terminal) -> None:
    victim = ready.home / "victim"
    victim.write_text("{}")
    record = ready.home / ".config" / "loci" / "connections.json"
    record.parent.mkdir(parents=True)
    record.symlink_to(victim)
    assert ready.loci("connect", "claude-code", "--project").code == 0
    assert victim.read_text() == "{}" and not record.is_symlink()
    assert record.stat().st_mode & 0o777 == 0o600


def test_printing_writes_nothing_and_needs_no_key(terminal: Terminal) -> None:
    said = terminal.loci("connect", "opencode", "--project", "--print", "--url", URL)
    assert said.code == 0
    assert said.out.startswith(f"Add this to {terminal.folder / 'opencode.json'}:\n")
    assert list(terminal.folder.iterdir()) == [] and list(terminal.home.iterdir()) == []


def test_the_end_says_what_to_tell_the_agent_and_what_to_try(ready: Terminal) -> None:
    said = ready.loci("connect", "claude-code")
    assert "~/.claude/CLAUDE.md" in said.err and "forget it, then store what holds now" in said.err
    assert "Which package manager do I prefer?" in said.err


def test_opencode_keeps_the_servers_that_it_has(ready: Terminal) -> None:
    file = ready.folder / "opencode.json"
    theirs = '{"mcp": {"servers": {"files": {"type": "local"}}}}'
    file.write_text(theirs)
    assert ready.loci("connect", "opencode", "--project").code == 0
    assert list(json.loads(file.read_text())["mcp"]["servers"]) == ["files", "loci"]
    assert ready.loci("disconnect", "opencode", "--project").code == 0
    assert file.read_text() == theirs


def test_a_program_without_projects_says_so(ready: Terminal) -> None:
    said = ready.loci("connect", "claude-desktop", "--project")
    assert (said.code, said.err) == (2, "loci: Claude Desktop has no configuration for a project\n")


def test_each_system_has_its_places() -> None:
    home = Path("/h")
    places = {
        ("claude-desktop", "darwin"): "/h/Library/Application Support/Claude/claude_desktop_config.json",
        ("claude-desktop", "linux"): "/h/.config/Claude/claude_desktop_config.json",
        ("claude-desktop", "win32"): "/h/AppData/Roaming/Claude/claude_desktop_config.json",
        ("vscode", "darwin"): "/h/Library/Application Support/Code/User/mcp.json",
        ("vscode", "linux"): "/h/.config/Code/User/mcp.json",
        ("opencode", "darwin"): "/h/.config/opencode/opencode.json",
        ("cursor", "win32"): "/h/.cursor/mcp.json",
    }
    for (client, platform), place in places.items():
        where = Where(home, Path("/p"), platform, {})
        assert str(PROGRAMS[client].file(where, project=False)) == place


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.sampled_from(["servers", "a", "b"]), JSON, max_size=3)
INDENTS: Any = st.sampled_from([None, 2, "\t"])


@given(DOCUMENTS, st.dictionaries(st.sampled_from(["x", "y"]), JSON, max_size=2), INDENTS, JSON)
def test_what_is_put_in_is_there_and_taking_it_out_gives_the_old_text(
    document: Any, servers: Any, indent: Any, value: Any
) -> None:
    document = {**document, "servers": servers}
    text = json.dumps(document, indent=indent)
    added = jsontext.put(text, ("servers", "loci"), value)
    assert json.loads(added) == {**document, "servers": {**servers, "loci": value}}
    assert list(json.loads(added)) == list(document)
    removed = jsontext.remove(added, ("servers", "loci"))
    assert removed == text if servers else json.loads(removed) == document


@given(DOCUMENTS, INDENTS, JSON, JSON)
def test_what_is_there_is_replaced_in_its_place(document: Any, indent: Any, old: Any, new: Any) -> None:
    text = json.dumps({"loci": old, **document}, indent=indent)
    assert json.loads(jsontext.put(text, ("loci",), new)) == {"loci": new, **document}
    assert list(json.loads(jsontext.put(text, ("loci",), new))) == ["loci", *document]
