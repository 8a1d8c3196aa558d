"""What the suites of deployment share: databases beside the test's own, on the same server."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest
from django.db import connections
from psycopg import sql

from loci.ground import libpq
from tests.deploy.production import url

Fresh = Callable[[], tuple[str, str]]
_number = count(1)


@pytest.fixture
def fresh_database(db: None) -> Iterator[Fresh]:
    """Makes an empty database of the owner's with the extensions; gives both roles' URLs. Gone after the test."""
    made: list[str] = []

    def make() -> tuple[str, str]:
        name = f"{connections['owner'].settings_dict['NAME']}_{next(_number)}"
        with libpq.connect("owner") as session:
            session.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        made.append(name)
        return url("default", name), url("owner", name)

    yield make
    with libpq.connect("owner") as session:
        for name in made:
            session.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
