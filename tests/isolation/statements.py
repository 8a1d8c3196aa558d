"""SQL statements by name: found in the source, watched while they run, and robbed of their tenant clause."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

from tests.isolation.rows import tenant_tables

ROOT = Path(__file__).parents[2]
SCANNED = ("memory/stores", "memory/services", "billing/quotas.py", "billing/usage.py")
"""Where every statement must have a name."""
_NAME = re.compile(r"/\* ([a-z_.]+) \*/")
_CLAUSE = re.compile(r'(?<![\w."])((?:"?\w+"?\.)?"?tenant_id"? = %(?:\(tenant\))?s)')
_PAIR = re.compile(r'\(("\w+"\."tenant_id"), ("\w+"\."\w+")\) = \(%s, %s\)')
_TABLE = re.compile(r'\b(?:FROM|UPDATE|INTO|JOIN)\s+"?(\w+)"?')
_HOLE = "TABLE_HOLE"


def tables_in(sql: str) -> list[str]:
    """The tenants' tables that a statement names, in order."""
    return [table for table in _TABLE.findall(sql) if table in tenant_tables() or table == _HOLE]


def key_of(sql: str) -> str | None:
    """The name and first table of a statement on tenants' rows; one without a name goes by its verb."""
    tables = tables_in(sql)
    if not tables:
        return None
    named = _NAME.search(sql)
    return f"{named[1] if named else sql.split()[0]} {tables[0]}"


def clauses_in(sql: str) -> int:
    """How many tenant clauses a statement has."""
    return len(_CLAUSE.findall(_unpaired(sql)))


def without_clause(sql: str) -> str:
    """A statement whose tenant clauses let every tenant through."""
    return _CLAUSE.sub(r"(\1 OR true)", _unpaired(sql))


def _unpaired(sql: str) -> str:
    """A statement in which Django compares no composite primary key as a pair."""
    return _PAIR.sub(r"(\1 = %s AND \2 = %s)", sql)


@dataclass(frozen=True)
class Found:
    """A statement in the source."""

    place: str
    sql: str


@cache
def in_source() -> tuple[Found, ...]:
    """Every `.execute(…)` below SCANNED that names a table of tenants' rows."""
    files = [file for part in SCANNED for file in sorted((ROOT / part).rglob("*.py")) or [ROOT / part]]
    found = []
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "execute":
                sql = _text(node.args[0])
                if tables_in(sql):
                    found.append(Found(f"{file.relative_to(ROOT)}:{node.lineno}", sql))
    return tuple(found)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    return _HOLE  # an expression in an f-string: a table, or conditions


def unnamed() -> list[str]:
    """Where a statement on tenants' rows has no name."""
    return [found.place for found in in_source() if not _NAME.search(found.sql)]


def keys_in_source(several: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The keys of all statements in the source; `several` names the tables of those that serve more than one."""
    keys = set()
    for found in in_source():
        name, table = _NAME.search(found.sql), tables_in(found.sql)[0]
        if name is not None:
            keys |= {f"{name[1]} {each}" for each in (several[name[1]] if table == _HOLE else (table,))}
    return sorted(keys)


@dataclass
class Watch:
    """What ran: how often a tenant clause was there, how many rows each statement met."""

    clauses: Counter[str] = field(default_factory=Counter)
    rows: list[tuple[str, int]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


@contextmanager
def watched(
    *, rob: str | None = None, plant: Mapping[str, Any] | None = None, at: str | None = None
) -> Iterator[Watch]:
    """Watch statements; take the tenant clauses of `rob` away, put `plant` among the parameters of `at`."""
    watch = Watch()

    def run(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        key = key_of(sql)
        if key is None or key.startswith("test."):
            return execute(sql, params, many, context)
        watch.seen.add(key)
        watch.clauses[key] = max(watch.clauses[key], clauses_in(sql))
        if key == at and isinstance(params, dict):
            params = {**params, **(plant or {})}
        result = execute(without_clause(sql) if key == rob else sql, params, many, context)
        watch.rows.append((key, context["cursor"].rowcount))
        return result

    with connection.execute_wrapper(run):
        yield watch
