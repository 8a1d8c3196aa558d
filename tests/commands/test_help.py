"""What `--help` says of each command."""

import pytest
from django.core.management import get_commands, load_command_class

from loci.ground.commands import LociCommand

ROOMS = ("loci", "tenants", "billing", "memory", "console")
OURS = sorted(name for name, app in get_commands().items() if app in ROOMS)
DJANGOS = {"help", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color",
           "skip_checks"}  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_a_command_and_each_of_its_arguments_say_what_they_are(name: str) -> None:
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, LociCommand), "so that it fails in one line"
    assert command.help.endswith(".") and len(command.help) > 20
    for action in command.create_parser("manage.py", name)._actions:
        if action.dest in DJANGOS:
            continue
        said = action.help or ""
        assert len(said) > 5, action.dest
        if action.option_strings and action.nargs != 0:  # it takes a value
            assert "(default: " in said or ("(required)" in said and action.required), f"{action.dest}: {said}"
        if action.default not in (None, "", [], False):
            assert f"default: {action.default}" in said, f"{action.dest}: {said}"
