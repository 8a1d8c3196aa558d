"""What the REST suites share."""

import logging
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest

from memory.services.indexing import index_pending
from memory.stores.embedders.registry import forget_embedders
from tenants.rls import tenant_rows
from tests.api.embedders import WORKING, Obedient


@pytest.fixture
def no_errors_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fails a test in which anything was logged as an error: a caller's fault is no error of ours."""
    caplog.set_level(logging.ERROR)
    yield
    errors = [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
    assert errors == []


@pytest.fixture
def embedder(settings: Any) -> Iterator[type[Obedient]]:
    """An embedder that does as it is told."""
    forget_embedders()
    Obedient.obey()
    settings.EMBEDDER = WORKING
    yield Obedient
    Obedient.obey()
    forget_embedders()


def _expire(tenant: UUID) -> None:
    with tenant_rows(tenant) as cursor:
        cursor.execute("UPDATE memory_indextask SET lease_until = now() - interval '1 second'")


@pytest.fixture
def index_again() -> Callable[[UUID], int]:
    """Runs the worker as if every task of the tenant were due; how many versions it indexed."""

    def run(tenant: UUID) -> int:
        _expire(tenant)
        return index_pending()

    return run
