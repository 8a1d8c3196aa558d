"""The `loci-server` command: Django's management commands under the product's name."""

import os
import sys


def main() -> None:
    """Run the management command that the arguments name. A database that is away, and settings with which Loci
    does not start, are one line, not a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loci.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(_unusable(str(error), sys.argv[1:]))
    except OperationalError as error:
        reason = str(error).strip().splitlines()[0]
        sys.exit(f"The database does not answer ({reason}). On one's own machine `make run` starts it.")


def _unusable(fault: str, arguments: list[str]) -> str | int:
    """What to exit with when the settings cannot be used: one line, or what the doctor says and its exit code."""
    if arguments[:1] != ["doctor"]:
        return fault
    from loci.doctor.findings import as_json, as_text, exit_code, fail

    findings = [fail("settings", fault, "Correct it in the environment; nothing else can be looked at before.")]
    print((as_json if "--json" in arguments else as_text)(findings))
    return exit_code(findings)


if __name__ == "__main__":
    main()
