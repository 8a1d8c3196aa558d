"""How commands fail at the command line: one line on standard error, and an exit code that says of which kind it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core import management

from loci.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
EMPTY = "-c search_path=pg_catalog"
"""Has the server look where nothing of ours is."""
NOBODY = "postgres://nobody@//nonexistent/none"


def manage(*args: str, **env: str) -> tuple[int, list[str]]:
    """Exit code and the lines on standard error."""
    done = subprocess.run(
        [sys.executable, "manage.py", *args],
        cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr.splitlines()


def test_a_setting_that_is_missing_is_named() -> None:
    code, lines = manage("list_keys", "acme", SECRET_KEY="")
    assert (code, len(lines)) == (1, 1)
    assert lines[0].startswith("SECRET_KEY is not set.")


def test_a_database_that_is_away_is_told_in_one_line() -> None:
    code, lines = manage("list_keys", "acme", DATABASE_URL=NOBODY)
    assert (code, len(lines)) == (1, 1)
    assert lines[0].startswith("The database does not answer")


def test_a_database_without_the_schema_is_told_with_what_to_do(db: None) -> None:
    code, lines = manage("list_keys", "acme", PGOPTIONS=EMPTY)
    assert (code, len(lines)) == (1, 1)
    assert lines[0].startswith("The database is not up to date") and "migrate --database=owner" in lines[0]


def test_traceback_shows_where_it_went_wrong(db: None) -> None:
    code, lines = manage("list_keys", "acme", "--traceback", PGOPTIONS=EMPTY)
    assert code == 1 and lines[0].startswith("Traceback")


@pytest.mark.parametrize(
    "args",
    [("create_key", "acme"), ("create_member", "m@a.example", "--tenant", "a", "--role", "king"), ("reindex", "x")],
)
def test_arguments_that_do_not_fit_are_exit_code_2(args: tuple[str, ...]) -> None:
    code, lines = manage(*args)
    assert code == 2 and "Traceback" not in "\n".join(lines)


def test_ctrl_c_is_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(argv: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(management, "execute_from_command_line", interrupted)
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 130
