"""Watching and disturbing what goes to the database."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

Execute = Callable[..., Any]


@contextmanager
def watched() -> Iterator[list[str]]:
    """The statements of this thread's connection, as they come."""
    seen: list[str] = []

    def wrapper(execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        seen.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield seen


@contextmanager
def slow(*names: str) -> Iterator[list[str]]:
    """Let statements that carry one of these names run into the statement timeout, as PostgreSQL itself reports it."""
    hit: list[str] = []

    def wrapper(execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        name = next((name for name in names if f"/* {name} */" in sql), None)
        if name:
            hit.append(name)
            execute("SELECT set_config('statement_timeout', '1', true)", (), False, context)
            execute("SELECT pg_sleep(5)", (), False, context)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield hit


@contextmanager
def broken(error: Exception, *names: str) -> Iterator[None]:
    """Raise `error` for statements that carry one of these names; for all of them when none is given."""

    def wrapper(execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if not names or any(f"/* {name} */" in sql for name in names):
            raise error
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield
