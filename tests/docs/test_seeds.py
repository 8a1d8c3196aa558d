"""`docs/seeds.md` has a row for every capability of the seeds, and says nothing that no test shows."""

import ast
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "seeds.md"
CAPABILITIES = 358
SECTIONS = 23
STATES = ("done", "part", "not yet", "not wanted")
HEADER = ["#", "capability", "in Loci", "state", "test"]
_TEST = re.compile(r"`(tests/[\w/]+\.py)::([\w:]+)`")
_UNESCAPED_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Row:
    """A capability, as the page has it."""

    line: int
    number: str
    capability: str
    ours: str
    state: str
    tests: str

    @property
    def mark(self) -> str:
        """The state without its reason."""
        return self.state.partition(":")[0]

    @property
    def reason(self) -> str:
        return self.state.partition(":")[2].strip()

    @property
    def named(self) -> list[tuple[str, str]]:
        """The tests it names: file, and name within the file."""
        return _TEST.findall(self.tests)

    def __str__(self) -> str:
        return f"docs/seeds.md:{self.line} ({self.number})"


def cells(line: str) -> list[str]:
    """What stands between the bars of a table's line."""
    return [cell.strip() for cell in _UNESCAPED_BAR.split(line)[1:-1]]


def is_rule(line: str) -> bool:
    return not set(line) - set("|- :")


@cache
def rows() -> list[Row]:
    """Every line of a table whose first cell is no word and no rule; the table of states is not among them."""
    lines = enumerate(PAGE.read_text().splitlines(), 1)
    tables = [(at, line) for at, line in lines if line.startswith("|") and not is_rule(line)]
    found = []
    for at, line in tables:
        columns = cells(line)
        if columns == HEADER or columns[0].strip("`") in ("state", *STATES):
            continue
        assert len(columns) == len(HEADER), f"docs/seeds.md:{at} has {len(columns)} cells"
        found.append(Row(at, *columns))
    return found


@cache
def defined_in(path: str) -> frozenset[str]:
    """The names of the tests in a file, those of a class as `Class::test`."""
    tree = ast.parse((ROOT / path).read_text())
    return frozenset(_names(tree.body))


def _names(body: list[ast.stmt], within: str = "") -> list[str]:
    found = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            found.append(within + node.name)
        elif isinstance(node, ast.ClassDef):
            found += _names(node.body, f"{within}{node.name}::")
    return found


def test_every_number_has_one_row_in_order() -> None:
    assert [row.number for row in rows()] == [str(number) for number in range(1, CAPABILITIES + 1)]


def test_every_section_is_there_and_has_rows() -> None:
    text = PAGE.read_text()
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    numbers = [int(section.partition(".")[0]) for section in sections]
    assert numbers == list(range(1, SECTIONS + 1))
    assert all("\n| " in section for section in sections)


def test_every_state_is_one_of_four() -> None:
    assert [str(row) for row in rows() if row.mark not in STATES] == []


def test_every_row_names_its_capability_and_says_what_loci_has() -> None:
    assert [str(row) for row in rows() if not row.capability or not row.ours] == []


def test_only_what_is_not_wanted_has_a_reason_in_its_state_and_always_has_one() -> None:
    assert [str(row) for row in rows() if (row.mark == "not wanted") != bool(row.reason)] == []


def test_what_works_in_part_says_what_does_not() -> None:
    assert [
        str(row) for row in rows() if row.mark == "part" and not re.search(r"works: .+\. Not( shown)?: ", row.ours)
    ] == []


def test_what_is_done_or_works_in_part_names_tests_that_exist() -> None:
    working = [row for row in rows() if row.mark in ("done", "part")]
    assert [str(row) for row in working if not row.named] == []
    missing = [
        f"{row}: {path}::{name}"
        for row in working
        for path, name in row.named
        if not (ROOT / path).is_file() or name not in defined_in(path)
    ]
    assert missing == []


def test_the_cell_of_tests_holds_nothing_else() -> None:
    assert [str(row) for row in rows() if _TEST.sub("", row.tests).strip()] == []


def test_what_does_not_work_names_no_test() -> None:
    assert [str(row) for row in rows() if row.mark in ("not yet", "not wanted") and "test_" in row.tests] == []
    assert [str(row) for row in rows() if row.mark == "not yet" and "tests/" in row.ours] == []


@pytest.mark.parametrize("state", STATES)
def test_the_introduction_counts_right(state: str) -> None:
    introduction = PAGE.read_text().partition("\n## ")[0]
    said = re.search(rf"^\| `{state}` \|.*\| (\d+) \|$", introduction, re.MULTILINE)
    assert said, f"the introduction has no figure for {state}"
    assert int(said[1]) == Counter(row.mark for row in rows())[state]


def test_the_introduction_names_the_total() -> None:
    assert f" {CAPABILITIES} capabilities" in PAGE.read_text().partition("\n## ")[0].replace("\n", " ")
