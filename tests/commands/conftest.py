"""What the suites of commands share."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command

Run = Callable[..., str]


@pytest.fixture
def run(db: None, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command and returns what it wrote to standard output."""

    def call(*args: Any) -> str:
        capsys.readouterr()
        call_command(*args)
        return capsys.readouterr().out

    return call


@pytest.fixture
def fails(db: None) -> Run:
    """Runs a command that must fail, in one line; returns that line."""

    def call(*args: Any) -> str:
        with pytest.raises(CommandError) as caught:
            call_command(*args)
        message = str(caught.value)
        assert message and "\n" not in message and "Traceback" not in message
        return message

    return call
