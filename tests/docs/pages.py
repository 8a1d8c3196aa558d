"""The documentation as the tests read it: pages, links, code blocks, and the commands in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: `language` as it stands behind the fence."""

    page: Path
    language: str
    text: str


def pages() -> list[Path]:
    """The pages that people read, README first."""
    top = [ROOT / name for name in ("README.md", "CHANGELOG.md", "SECURITY.md")]
    return [*top, *sorted(DOCS.rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [Block(page, found[1], found[2]) for found in _BLOCK.finditer(page.read_text())]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return _BLOCK.sub("", page.read_text())


def links(page: Path) -> list[str]:
    """The targets of a page's links within the checkout."""
    found = _LINK.findall(prose(page))
    return [target for target in found if not re.match(r"[a-z][a-z0-9+.-]*:", target)]


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make, as GitHub derives them."""
    return {
        re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")
        for heading in _HEADING.findall(prose(page))
    }


def commands(block: Block) -> Iterator[str]:
    """The commands of a shell block, each on one line; a quoted text may run over several."""
    command = ""
    for line in block.text.splitlines():
        command += line
        if command.endswith("\\"):
            command = command[:-1]
        elif command.count("'") % 2:
            command += "\n"
        else:
            if command.strip():
                yield command.strip()
            command = ""
    assert not command, f"{block.page.name}: a command does not end: {command[:80]}"


def first_column(page: Path) -> list[str]:
    """The first cell of every row of a page's tables, without headings and rules."""
    rows = [line.split("|")[1].strip() for line in prose(page).splitlines() if line.startswith("|")]
    return [cell for cell in rows if cell and set(cell) - set("-: ")]
