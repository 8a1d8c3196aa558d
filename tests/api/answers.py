"""What tests say about an answer, and what lies in the tables behind it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from memory.engine.items import Item
from memory.services.remember import remember
from tenants.rls import tenant_rows
from tests.cast import Caller

STORES = ("memory_memory", "memory_version", "memory_job", "memory_indextask", "memory_posting", "memory_filtervalue")


def problem(response: Any, status: int, code: str | None = None, pointer: str | None = None) -> dict[str, Any]:
    """The problem document of `response`, which has `status` and all that every such document has."""
    assert response.status_code == status, response.content[:600]
    assert response["Content-Type"] == "application/problem+json"
    document: dict[str, Any] = response.json()
    assert document["status"] == status
    assert document["request_id"] == response["X-Request-ID"]
    assert document["title"] and document["code"]
    assert code in (None, document["code"])
    if status == 422:
        assert document["detail"] and all({"loc", "msg", "type"} <= set(fault) for fault in document["detail"])
        assert len(document["errors"]) == len(document["detail"])
    else:
        assert isinstance(document["detail"], str) and document["detail"]
    if pointer is not None:
        assert pointer in [error["pointer"] for error in document["errors"]], document["errors"]
    return document


def stored_rows(tenant: UUID) -> dict[str, int]:
    """How many rows a tenant has in each table that a write fills; those that are empty are left out."""
    with tenant_rows(tenant) as cursor:
        counts = {}
        for table in STORES:
            cursor.execute(f"SELECT count(*) FROM {table}")
            counts[table] = cursor.fetchone()[0]
    return {table: count for table, count in counts.items() if count}


def remember_lines(caller: Caller, lines: Sequence[str], source: str = "log", **fields: Any) -> None:
    """Store many texts at once, past the door's limit of 64."""
    remember(caller.scope, items=[Item(at, line, source=source, **fields) for at, line in enumerate(lines)])


def audited(tenant: UUID) -> list[tuple[str, dict[str, Any]]]:
    """The tenant's audit events, oldest first: action and detail."""
    from tenants.models import AuditEvent

    with tenant_rows(tenant):
        return list(AuditEvent.objects.order_by("id").values_list("action", "detail"))
