"""The documentation says what is there, and nothing is there that it does not say."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import URLPattern, URLResolver, get_resolver

from memory.tools.all import REGISTRY
from tests.cast import MakeCaller
from tests.docs import picture, tools_page
from tests.docs.pages import DOCS, ROOT, Block, anchors, blocks, commands, first_column, links, pages, prose
from tests.docs.shell import SERVER, Answer, Shell, parsed, shape

READ = re.compile(r'(?:env(?:\.\w+)?|required|environ(?:ment)?\.get)\(\s*"([A-Z][A-Z0-9_]+)"')
ROOMS = ("loci", "tenants", "billing", "memory", "console")
MACHINE = re.compile(r"(?<![\w.$~/:])/(?:home|root|Users|work|tmp)/\S+")
KNOWN_ELSEWHERE = frozenset({"DJANGO_SETTINGS_MODULE"})
"""What Django reads itself."""
RUN = ["README.md", "docs/quickstart.md", "docs/api.md"]
PAGES = [str(page.relative_to(ROOT)) for page in pages()]


def settings_read() -> set[str]:
    """The environment variables that the settings, the processes and the local runner read."""
    building = ROOT / "platform/loci"
    files = [
        *(building / f"{name}.py" for name in ("settings", "processes", "probe", "web")),
        *(building / "local").glob("*.py"),
    ]
    return {name for file in files for name in READ.findall(file.read_text())} - KNOWN_ELSEWHERE


def names_in(cells: list[str]) -> set[str]:
    """The names in backticks that the cells begin with, split where a cell holds several."""
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def addresses(resolver: URLResolver, before: str = "/") -> Iterator[str]:
    """Every address with a path of its own below `resolver`."""
    for pattern in resolver.url_patterns:
        route = getattr(pattern.pattern, "_route", None)
        if route is None:
            continue
        path = before + re.sub(r"<[^>]+>", "{id}", route)
        if isinstance(pattern, URLPattern):
            yield path
        elif pattern.app_name != "console":
            yield from addresses(pattern, path)


def own_commands() -> set[str]:
    """The management commands of our rooms."""
    return {name for name, app in get_commands().items() if app in ROOMS}


def make_targets() -> set[str]:
    """The targets that `make help` lists."""
    return set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_every_setting_is_documented_and_no_other() -> None:
    documented = names_in(first_column(DOCS / "settings.md"))
    assert documented == settings_read()


def test_every_address_is_in_the_api_page() -> None:
    page = (DOCS / "api.md").read_text()
    missing = [path for path in addresses(get_resolver()) if not re.search(rf"`(?:[A-Z]+ )?{re.escape(path)}`", page)]
    assert not missing


def test_the_api_page_names_no_address_that_is_not_there() -> None:
    named = re.findall(r"`[A-Z]+ (/[^`?]*)", prose(DOCS / "api.md"))
    short = {"/memories"}
    assert set(named) - short <= set(addresses(get_resolver()))


def test_every_command_and_target_is_documented_and_no_other() -> None:
    headings = set(re.findall(r"^### `([a-z_]+)", (DOCS / "commands.md").read_text(), re.MULTILINE))
    assert headings == own_commands()
    targets = set(re.findall(r"`make ([a-z]+)`", "\n".join(first_column(DOCS / "commands.md"))))
    assert targets == make_targets()


@pytest.mark.parametrize("name", sorted(own_commands()))
def test_every_option_of_a_command_is_documented(name: str) -> None:
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    page = (DOCS / "commands.md").read_text()
    section = re.split(r"^##", page.partition(f"### `{name}")[2], maxsplit=1, flags=re.MULTILINE)[0]
    common = {
        "help",
        "version",
        "verbosity",
        "settings",
        "pythonpath",
        "traceback",
        "no_color",
        "force_color",
        "skip_checks",
    }
    for action in parser._actions:
        if action.dest not in common:
            wanted = action.option_strings[-1] if action.option_strings else (action.metavar or action.dest).upper()
            assert wanted in section, f"{name}: {wanted}"


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for target in links(page):
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), target
        if anchor and found.suffix == ".md":
            assert anchor in anchors(found), target


def test_the_readme_lists_every_page() -> None:
    listed = {target.rstrip("/") for target in links(ROOT / "README.md")}
    missing = [str(page.relative_to(ROOT)) for page in DOCS.glob("*.md") if str(page.relative_to(ROOT)) not in listed]
    assert not missing
    assert "docs/decisions" in listed


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_no_path_of_one_machine(name: str) -> None:
    assert not MACHINE.findall((ROOT / name).read_text())


@pytest.mark.parametrize("page", sorted((DOCS / "decisions").glob("*.md")), ids=lambda page: page.stem)
def test_a_decision_is_short_and_has_its_parts(page: Path) -> None:
    text = page.read_text()
    assert len(text.splitlines()) <= 40
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Choice", "Consequences", "Non-goals"]


@pytest.mark.parametrize("name", PAGES)
def test_examples_are_well_formed(name: str) -> None:
    for block in blocks(ROOT / name):
        if block.language == "json":
            json.loads(block.text)
        for command in commands(block) if block.language == "sh" else ():
            if command.startswith("curl"):
                parsed(shlex.split(command.partition(" | ")[0]))


@pytest.mark.parametrize("name", RUN)
def test_a_request_shows_its_failure_and_follows_the_port(name: str) -> None:
    found = [
        command for block in blocks(ROOT / name) if block.language == "sh" for command in commands(block)
        if "curl " in command
    ]  # fmt: skip
    assert found
    assert [each for each in found if "curl -sS --fail-with-body " not in each or "$LOCI_URL/" not in each] == []


@pytest.mark.parametrize("name", RUN)
@pytest.mark.committed
def test_examples_run_and_answer_as_shown(name: str, newcomer: MakeCaller) -> None:
    caller = newcomer("demo")
    shell = Shell(caller, {"KEY": caller.key, "LOCI_URL": SERVER})
    ran = 0
    found = blocks(ROOT / name)
    for at, block in enumerate(found):
        if block.language != "sh":
            continue
        wanted = _shown_after(found, at)
        answers = [shell.run(command) for command in commands(block) if _is_runnable(command)]
        shown = [answer for answer in answers if answer is not None]
        ran += len(shown)
        _check(shown, wanted)
    assert ran, f"{name} has no example"


def _is_runnable(command: str) -> bool:
    """Not what starts things, and not what reads the demo's address and key, which the test has."""
    return not command.startswith(("make ", "KEY=", "LOCI_URL="))


def _shown_after(found: list[Block], at: int) -> Any:
    """The answer that the page shows for the block, if any."""
    following = found[at + 1] if at + 1 < len(found) else None
    return json.loads(following.text) if following and following.language == "json" else None


def _check(shown: list[Answer], wanted: Any) -> None:
    fault = isinstance(wanted, dict) and wanted.get("type") == "about:blank"
    for answer in shown[:-1]:
        assert answer.status < 300, answer
    if shown:
        assert shown[-1].status == wanted["status"] if fault else shown[-1].status < 300, shown[-1]
    if wanted is not None:
        assert shown, "an answer is shown, but no command"
        assert shape(shown[-1].document) == shape(wanted)
        assert SERVER not in json.dumps(wanted)


def test_the_tools_page_is_as_the_registry_has_it() -> None:
    assert (DOCS / "tools.md").read_text() == tools_page.page(REGISTRY.tools)


def test_the_picture_of_the_rooms_is_as_the_imports_are() -> None:
    found = picture.imports()
    assert list(picture.rising(found)) == [], "a room imports from one above it: move what both need further down"
    assert (DOCS / "architecture.svg").read_text() == picture.svg(picture.telling(found)), (
        "draw it again: python -m tests.docs.picture"
    )


def test_every_decision_is_listed() -> None:
    pages = {f"decisions/{page.name}" for page in (DOCS / "decisions").glob("*.md")}
    assert set(links(DOCS / "decisions.md")) == pages
