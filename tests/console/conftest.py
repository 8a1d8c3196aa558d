import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenants.scope import Role
from tests.console.browser import CHROMIUM, Tab, launched
from tests.console.staff import Member, found


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    """Hashing that takes its time is Django's affair, and would be most of what these tests do."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def acme(db: None) -> dict[str, Member]:
    """The tenant acme: mira owns it, vito only looks at it."""
    return found("acme", mira=Role.OWNER, vito=Role.VIEWER)


@pytest.fixture
def mira(acme: dict[str, Member]) -> Member:
    return acme["mira"]


@pytest.fixture
def vito(acme: dict[str, Member]) -> Member:
    return acme["vito"]


@pytest.fixture
def gina(db: None) -> Member:
    """Owns globex, a stranger to acme."""
    return found("globex", gina=Role.OWNER)["gina"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running browser; the tests that need one are skipped where there is none."""
    if not Path(CHROMIUM).exists():
        pytest.skip("chromium is not installed")
    # Playwright keeps an event loop running in this thread, which Django takes for asynchronous code
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with launched() as browser:
        yield browser
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def tab(chromium: Any, live_server: Any) -> Iterator[Tab]:
    """A browser tab at the running Loci; a complaint in its console fails the test."""
    with Tab.opened(chromium, live_server.url) as tab:
        yield tab
        assert tab.complaints == []
