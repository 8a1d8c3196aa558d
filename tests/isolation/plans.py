"""Plans of the statements that really run, and how many rows each scan in them reads."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection

from tests.isolation.statements import key_of

SMALL = 100
"""Rows that nobody minds reading."""


@dataclass(frozen=True)
class Scan:
    """A node that reads a table: `read` rows, whether they were kept or filtered away."""

    kind: str
    table: str
    index: str
    read: int


@dataclass(frozen=True)
class Plan:
    """What PostgreSQL did for one execution of a statement."""

    key: str
    sql: str
    tree: dict[str, Any]

    @property
    def scans(self) -> list[Scan]:
        return [
            Scan(node["Node Type"], node["Relation Name"], node.get("Index Name", _bitmap(node)), _read(node))
            for node in _nodes(self.tree)
            if "Relation Name" in node and "Scan" in node["Node Type"]
        ]

    def __str__(self) -> str:
        return f"{self.key}\n{self.sql}\n" + "\n".join(_outline(self.tree, 0))


def _nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for inner in tree.get("Plans", ()):
        yield from _nodes(inner)


def _bitmap(node: dict[str, Any]) -> str:
    return next((one["Index Name"] for one in _nodes(node) if "Index Name" in one), "")


def _read(node: dict[str, Any]) -> int:
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return round((node["Actual Rows"] + removed) * node["Actual Loops"])


def _outline(node: dict[str, Any], depth: int) -> Iterator[str]:
    said = [str(node[name]) for name in ("Node Type", "Relation Name", "Index Name") if name in node]
    said += [f"{name}: {node[name]}" for name in ("Index Cond", "Filter", "Recheck Cond") if name in node]
    yield f"{'  ' * depth}{' '.join(said)} ({_read(node)} read, {node['Actual Loops']} loops)"
    for inner in node.get("Plans", ()):
        yield from _outline(inner, depth + 1)


@contextmanager
def explained() -> Iterator[list[Plan]]:
    """Explain and analyse each statement on tenants' rows just before it runs; changes are undone in between."""
    plans: list[Plan] = []

    def run(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        key = key_of(sql)
        reads = not sql.split("*/")[-1].lstrip().startswith("INSERT")
        if key is not None and reads and not key.startswith("test."):
            plans.append(Plan(key, sql, _explain(sql, params)))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(run):
        yield plans


def _explain(sql: str, params: Any) -> dict[str, Any]:
    with connection.connection.cursor() as cursor:
        cursor.execute("SAVEPOINT explained")
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", params)
        (found,) = cursor.fetchone()
        cursor.execute("ROLLBACK TO SAVEPOINT explained")
        cursor.execute("RELEASE SAVEPOINT explained")
    tree: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return tree


def wide(plan: Plan, sizes: Mapping[str, int]) -> list[Scan]:
    """Scans that read more than a fifth of what a tenant has in the table (`sizes`)."""
    return [scan for scan in plan.scans if scan.read > max(sizes.get(scan.table, 0) // 5, SMALL)]
