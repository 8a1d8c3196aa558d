"""Every address of Loci with its methods, read from the URL patterns; and what docs/permissions.md says of each."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern

from memory.api.views import ScopedView

PAGE = Path(__file__).parents[2] / "docs" / "permissions.md"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_ROW = re.compile(r"^\| `(?P<what>[^`]+)` \| (?P<rest>.+) \|$")


@dataclass(frozen=True)
class Door:
    """One address."""

    address: str
    view: Callable[..., Any]

    @property
    def view_class(self) -> type | None:
        return getattr(self.view, "view_class", None) or getattr(self.view, "cls", None)

    @property
    def rights(self) -> dict[str, str] | None:
        """Method → right, for a REST view that asks for a key."""
        found = self.view_class
        if found is None or not issubclass(found, ScopedView):
            return None
        return {method: str(right) for method, right in found.rights.items()}

    @property
    def methods(self) -> set[str]:
        """What the view answers to beside HEAD and OPTIONS; `any` for one that answers all alike."""
        if self.rights is not None:
            return set(self.rights)
        if self.view_class is not None:
            return {method for method in METHODS if hasattr(self.view_class, method.lower())} or {"any"}
        return set(_required_methods(self.view)) - {"HEAD"}

    def path(self, **values: object) -> str:
        """The address with values for its parameters."""
        return re.sub(r"<\w+:(\w+)>", lambda match: str(values[match[1]]), self.address.replace("*", "nothing"))


def _required_methods(view: Callable[..., Any]) -> list[str]:
    """What `require_http_methods` was given: it tells nobody, so look into its closure."""
    layer: Any = view
    while layer is not None:
        for name, cell in zip(layer.__code__.co_freevars, layer.__closure__ or (), strict=True):
            if name == "request_method_list":
                return list(cell.cell_contents)
        layer = getattr(layer, "__wrapped__", None)
    raise AssertionError(f"{view} answers to any method: put @require_http_methods on it")


def doors() -> list[Door]:
    """Every address, in the order in which they are tried."""
    return list(_walk(get_resolver().url_patterns, "/"))


def _walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[Door]:
    for pattern in patterns:
        part = str(pattern.pattern)
        if isinstance(pattern.pattern, RegexPattern):
            part = part.removeprefix("^") + "*"
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, before + part)
        else:
            yield Door(before + part, pattern.callback)


@dataclass(frozen=True)
class Permission:
    """A row of the page."""

    right: str
    foreign: str


def permissions() -> dict[tuple[str, str], Permission]:
    """(address, method) → what the page says."""
    rows = [[*row.split(" | "), what] for what, row in _rows() if row.count(" | ") == 2]
    assert len({(row[3], row[0]) for row in rows}) == len(rows), "a row stands on the page twice"
    return {(what, method): Permission(right, foreign) for method, right, foreign, what in rows}


def documented_commands() -> set[str]:
    return {what for what, row in _rows() if " | " not in row}


def _rows() -> Iterator[tuple[str, str]]:
    for line in PAGE.read_text().splitlines():
        if match := _ROW.match(line):
            yield match["what"], match["rest"]
