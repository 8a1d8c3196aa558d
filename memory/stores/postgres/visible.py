"""Who may see what and when, as SQL: the one place where scope, view and filters become conditions.

Every statement of this store takes its tenant clause from here. Conditions compare plain columns by leakproof
operators, so that their indexes serve under row-level security.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from loci.ground.instants import parse_instant
from memory.engine.filters import FIELDS, And, AnyOf, Equals, Exists, Filter, Not, Or, Prefix, Range, Scalar
from memory.engine.types import Search, View
from memory.engine.values import after_prefix, comparable
from tenants.scope import ALL, Scope

COLUMNS = {
    "id": "memory_id",
    "offset": "position",
    "timestamp": "event_at",
}
"""Built-in fields whose column has another name."""


@dataclass(slots=True)
class Params:
    """Named parameters of one statement, numbered as they come."""

    values: dict[str, Any] = field(default_factory=dict)

    def add(self, value: Any) -> str:
        """A placeholder for `value`."""
        name = f"p{len(self.values)}"
        self.values[name] = value
        return f"%({name})s"


def tenant_clause(alias: str, scope: Scope, params: Params) -> str:
    """`alias` holds rows of the scope's tenant only."""
    params.values["tenant"] = scope.tenant
    return f"{alias}.tenant_id = %(tenant)s"


def in_reach(alias: str, scope: Scope, params: Params) -> str:
    """Tenant and namespaces; for tables that have both columns."""
    clause = tenant_clause(alias, scope, params)
    if scope.every_namespace:
        return clause
    return f"{clause} AND {alias}.namespace = ANY({params.add(sorted(scope.namespaces))}::text[])"


def at_time(alias: str, view: View, params: Params) -> str:
    """Belief and validity as the view asks; for tables that carry both clocks."""
    retracted = f"{alias}.invalidated_at IS NOT NULL"
    if view.known_at is not None:
        at = params.add(view.known_at)
        believed = f"{alias}.known_from <= {at} AND ({alias}.known_to IS NULL OR {alias}.known_to > {at})"
    elif view.include_invalidated or view.ignore_invalidation:
        believed = f"({alias}.known_to IS NULL OR {retracted})"
    else:
        believed = f"{alias}.known_to IS NULL"
    if view.include_invalidated and view.valid_at is None:
        return believed
    at = params.add(view.valid_at) if view.valid_at else "statement_timestamp()"
    valid = (
        f"({alias}.valid_from IS NULL OR {alias}.valid_from <= {at})"
        f" AND ({alias}.valid_to IS NULL OR {alias}.valid_to > {at})"
    )
    if view.valid_at or view.known_at:
        return f"{believed} AND {valid}"
    return f"{believed} AND {valid} AND ({alias}.expires_at IS NULL OR {alias}.expires_at > statement_timestamp())"


def is_newest(alias: str, scope: Scope, params: Params) -> str:
    """A row of `memory_version` is the believed one of its memory, else the last: what was before does not count."""
    return (
        f"{alias}.id = (SELECT n.id FROM memory_version n WHERE {tenant_clause('n', scope, params)}"
        f" AND n.memory_id = {alias}.memory_id ORDER BY (n.known_to IS NULL) DESC, n.known_from DESC LIMIT 1)"
    )


def narrowed(alias: str, scope: Scope, filters: Filter | None, params: Params) -> str:
    """What is left of scope and filters: bound filters, agent, the request's filter. Empty when nothing is."""
    clauses = [
        _equals(alias, scope, Equals(f"metadata.{key}", value), params) for key, value in sorted(scope.filters.items())
    ]
    if scope.agent != ALL:
        clauses.append(f"{alias}.agent = {params.add(scope.agent)}")
    if filters is not None:
        clauses.append(_filter(alias, scope, filters, params))
    return " AND ".join(clauses)


def visible(alias: str, scope: Scope, view: View, filters: Filter | None, params: Params) -> str:
    """All of it, for a row of `memory_version`."""
    clauses = [in_reach(alias, scope, params), at_time(alias, view, params)]
    if rest := narrowed(alias, scope, filters, params):
        clauses.append(rest)
    return " AND ".join(clauses)


def among(scope: Scope, search: Search, params: Params) -> str:
    """A further condition on `hits`, by what narrows the scope and by the filters; empty when nothing does.

    Their matches are read once, and not for each hit.
    """
    narrow = narrowed("w", scope, search.filters, params)
    if not narrow:
        return ""
    return (
        " AND hits.version_id IN (SELECT w.id FROM memory_version w"
        f" WHERE {tenant_clause('w', scope, params)} AND {narrow})"
    )


def _filter(alias: str, scope: Scope, node: Filter, params: Params) -> str:
    if isinstance(node, And):
        return "(" + " AND ".join(_filter(alias, scope, part, params) for part in node.parts) + ")"
    if isinstance(node, Or):
        return _either(alias, [_filter(alias, scope, part, params) for part in node.parts])
    if isinstance(node, Not):
        return f"NOT coalesce({_filter(alias, scope, node.part, params)}, false)"
    if isinstance(node, Equals):
        return _equals(alias, scope, node, params)
    if isinstance(node, AnyOf):
        return _any_of(alias, scope, node, params)
    if isinstance(node, Range):
        return _range(alias, scope, node, params)
    if isinstance(node, Prefix):
        return _prefix(alias, scope, node, params)
    return _exists(alias, scope, node, params)


def _either(alias: str, clauses: Sequence[str]) -> str:
    """One of `clauses`. Those that look a version up by its values become one look-up over all of them: an OR of
    subqueries would read every version of the tenant."""
    start = f"{alias}.id IN (SELECT"
    lookups = [clause for clause in clauses if clause.startswith(start) and clause.count(start) == 1]
    others = [clause for clause in clauses if clause not in lookups]
    if len(lookups) > 1:
        inner = " UNION ALL ".join(clause.removeprefix(f"{alias}.id IN (").removesuffix(")") for clause in lookups)
        lookups = [f"{alias}.id IN ({inner})"]
    return "(" + " OR ".join([*others, *lookups]) + ")"


def _column(alias: str, name: str) -> str | None:
    """The column behind a built-in field; None for tags and metadata, which lie in `memory_filtervalue`."""
    return f"{alias}.{COLUMNS.get(name, name)}" if FIELDS.get(name, "list") != "list" else None


def _values(alias: str, scope: Scope, name: str, condition: str, params: Params) -> str:
    """A version that has a filter value of the field for which `condition` (over `f`) holds."""
    return (
        f"{alias}.id IN (SELECT f.version_id FROM memory_filtervalue f WHERE {tenant_clause('f', scope, params)}"
        f" AND f.key = {params.add(name)} AND {condition})"
    )


def _typed(name: str, value: Scalar) -> str | float | datetime | None:
    """A filter's value as its column compares it."""
    return parse_instant(str(value), naive_is_utc=True) if FIELDS[name] == "instant" and value is not None else value


def _equals(alias: str, scope: Scope, node: Equals, params: Params) -> str:
    column = _column(alias, node.field)
    if node.value is None and node.field in FIELDS:
        return _absent(column, node.field) if column else _exists(alias, scope, Exists(node.field, False), params)
    if column is None:
        return _values(alias, scope, node.field, f"f.text_value = {params.add(comparable(node.value).text)}", params)
    if node.field == "id":
        try:
            return f"{column} = {params.add(UUID(str(node.value)))}"
        except ValueError:
            return "false"
    return f"{column} = {params.add(_typed(node.field, node.value))}"


def _any_of(alias: str, scope: Scope, node: AnyOf, params: Params) -> str:
    if not node.values:
        return "false"
    if node.field not in FIELDS or (FIELDS[node.field] == "list" and None not in node.values):
        texts = params.add([comparable(value).text for value in node.values])
        return _values(alias, scope, node.field, f"f.text_value = ANY({texts}::text[])", params)
    each = (_equals(alias, scope, Equals(node.field, value), params) for value in node.values)
    return "(" + " OR ".join(each) + ")"


def _range(alias: str, scope: Scope, node: Range, params: Params) -> str:
    column = _column(alias, node.field)
    numeric = any(isinstance(value, float) for _, value in node.bounds)
    target = column or ("f.number_value" if numeric else "f.time_value")
    condition = " AND ".join(f"{target} {operator} {params.add(value)}" for operator, value in node.bounds)
    return f"({condition})" if column else _values(alias, scope, node.field, condition, params)


def _prefix(alias: str, scope: Scope, node: Prefix, params: Params) -> str:
    column = _column(alias, node.field)
    target, start = (column, node.prefix) if column else ("f.text_value", f"s:{node.prefix}")
    # ^@ is not leakproof; a range over the C collation is, and uses the index
    condition = f'{target} COLLATE "C" >= {params.add(start)}'
    if end := after_prefix(start):
        condition += f' AND {target} COLLATE "C" < {params.add(end)}'
    return f"({condition})" if column else _values(alias, scope, node.field, condition, params)


def _absent(column: str, name: str) -> str:
    """A built-in field is not set; no source is stored as an empty one."""
    return f"{column} = ''" if name == "source" else f"{column} IS NULL"


def _exists(alias: str, scope: Scope, node: Exists, params: Params) -> str:
    column = _column(alias, node.field)
    if column:
        absent = _absent(column, node.field)
        return f"NOT {absent}" if node.wanted else absent
    found = _values(alias, scope, node.field, "f.text_value <> 'z'", params)
    return found if node.wanted else f"NOT {found}"
