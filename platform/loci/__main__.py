"""The `loci-server` command: Django's management commands under the product's name."""

import os
import sys

NOT_THERE = frozenset({"42P01", "42703", "42883"})
"""PostgreSQL's codes for a table, column or function that is not there."""


def main() -> None:
    """Run the management command that the arguments name. What an operator can mend is one line, not a traceback: a
    database that is away or not up to date, a setting that is missing; `--traceback` shows where all the same."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loci.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import InterfaceError, OperationalError, ProgrammingError

    shown = () if "--traceback" not in sys.argv else (Exception,)
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)
    except shown:
        raise
    except ImproperlyConfigured as error:
        sys.exit(_unusable(str(error), sys.argv[1:]))
    except (OperationalError, InterfaceError) as error:
        sys.exit(f"The database does not answer ({_first_line(error)}). On one's own machine `make run` starts it.")
    except ProgrammingError as error:
        if getattr(error.__cause__, "sqlstate", "") not in NOT_THERE:
            raise
        sys.exit(f"The database is not up to date ({_first_line(error)}): manage.py migrate --database=owner")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


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
