"""A database of the settings as libpq knows it: for connections beside Django's, and for PostgreSQL's own programs."""

from typing import Any

import psycopg
from django.db import connections

# of the options of Django's back end, those that are not libpq's
_DJANGO = frozenset(
    {"pool", "server_side_binding", "prepare_threshold", "cursor_factory", "isolation_level", "assume_role", "service"}
)
CONNECT_SECONDS = 5


def parameters(alias: str) -> dict[str, Any]:
    """libpq's parameters of the database `alias`, the password among them."""
    configured = connections[alias].settings_dict
    named = {
        "host": configured["HOST"],
        "port": configured["PORT"],
        "user": configured["USER"],
        "password": configured["PASSWORD"],
        "dbname": configured["NAME"],
    }
    options = {name: value for name, value in configured["OPTIONS"].items() if name not in _DJANGO}
    return {"connect_timeout": CONNECT_SECONDS, **options, **{name: value for name, value in named.items() if value}}


def connect(alias: str) -> "psycopg.Connection[tuple[Any, ...]]":
    """A connection in autocommit mode, outside of any pool. Raises psycopg.OperationalError within seconds."""
    return psycopg.connect(**parameters(alias), autocommit=True)


def reason(error: psycopg.Error) -> str:
    """An error in one line. libpq's messages name host and role, never a password."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
