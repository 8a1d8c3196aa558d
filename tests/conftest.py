"""What every test has: clean connections at the end, and a loud error for a test that would leak rows.

`@pytest.mark.committed` marks a test whose transactions really commit. The database is emptied after it
through both roles' aliases: with `default` alone Django would flush nothing, and say nothing.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # importing it needs settings, which the unit suite does without
    from tests.cast import Caller, MakeCaller

BOTH = ["default", "owner"]
TRANSACTIONAL_FIXTURES = {"transactional_db", "live_server", "django_db_reset_sequences"}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "committed: the test commits; the database is emptied after it")


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker("committed"):
        item.add_marker(pytest.mark.django_db(transaction=True, databases=BOTH), append=False)
    elif "db" in getattr(item, "fixturenames", ()) and not item.get_closest_marker("django_db"):
        # pytest-django makes only the databases that some test names; `default` is a mirror of `owner`
        item.add_marker(pytest.mark.django_db(databases=BOTH), append=False)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    leaking = [item.nodeid for item in items if _commits(item) and not _flushes_both(item)]
    if leaking:
        raise pytest.UsageError(
            "These tests commit but would not be cleaned up; mark them `@pytest.mark.committed`, or give a "
            'TransactionTestCase `databases = {"default", "owner"}`: ' + ", ".join(leaking)
        )


def pytest_sessionfinish() -> None:
    """Close what the process keeps of clients: at its exit an open connection would be warned of."""
    kept = sys.modules.get("memory.stores.kept")
    for each in kept._all if kept else ():
        each.clear()


def _commits(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    if marker and (marker.kwargs.get("transaction") or (marker.args and marker.args[0])):
        return True
    return bool(TRANSACTIONAL_FIXTURES & set(getattr(item, "fixturenames", ()))) or _is_transaction_case(item)


def _is_transaction_case(item: pytest.Item) -> bool:
    from django.test import TestCase, TransactionTestCase

    case = getattr(item, "cls", None)
    return isinstance(case, type) and issubclass(case, TransactionTestCase) and not issubclass(case, TestCase)


def _flushes_both(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    named = marker.kwargs.get("databases") if marker else None
    if _is_transaction_case(item):
        named = item.cls.databases  # type: ignore[attr-defined]
    return named == "__all__" or set(BOTH) <= set(named or ())


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: object) -> Iterator[None]:
    """Close the pool before the test database is dropped: Django closes the owner's connections only."""
    yield
    from django.db import connections

    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        connections["default"].close()
        connections["default"].close_pool()


@pytest.fixture
def newcomer(db: None) -> "MakeCaller":
    """Makes a tenant and a caller in it."""
    from tenants.authentication import operator_scope
    from tenants.services.keys import issue_key
    from tenants.services.tenants import create_tenant
    from tests.cast import Caller

    def make(slug: str, scopes: Sequence[str] = ("read", "write")) -> "Caller":
        tenant = create_tenant(slug)
        return Caller(tenant, issue_key(operator_scope(tenant, "test"), scopes=list(scopes)).secret)

    return make


@pytest.fixture
def alice(newcomer: "MakeCaller") -> "Caller":
    """Reads and writes in acme."""
    return newcomer("acme")


@pytest.fixture
def bob(alice: "Caller") -> "Caller":
    """Only reads, in acme."""
    return alice.with_key(["read"])


@pytest.fixture
def charlie(newcomer: "MakeCaller") -> "Caller":
    """Reads and writes in globex."""
    return newcomer("globex")


@pytest.fixture(scope="session")
def base_url() -> Iterator[str]:
    """Where a Loci listens that is served as in production; only for tests that are `committed`."""
    from loci.asgi import application
    from tests.servers.loci import served

    with served(application) as url:
        yield url
