"""Installs the functions that the `sql/` folders of the rooms hold."""

import importlib
from pathlib import Path

from tenants.rls import app_role


def source(room: str, name: str) -> str:
    """The text of `<room>/sql/<name>.sql`."""
    folder = Path(importlib.import_module(f"{room}.sql").__path__[0])
    return (folder / f"{name}.sql").read_text()


def create_sql(room: str, name: str) -> str:
    """SQL that creates `loci_<name>` and lets the application's role, and nobody else, call it."""
    return (
        f"{source(room, name)};"
        f"REVOKE ALL ON FUNCTION loci_{name} FROM PUBLIC; GRANT EXECUTE ON FUNCTION loci_{name} TO {app_role()};"
    )


def drop_sql(name: str) -> str:
    """SQL that removes `loci_<name>`."""
    return f"DROP FUNCTION loci_{name};"
