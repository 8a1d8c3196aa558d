"""The `loci-server` command: Django's management commands under the product's name."""

import os
import sys


def main() -> None:
    """Run the management command that the arguments name; a database that is away is one line, not a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loci.settings")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        reason = str(error).strip().splitlines()[0]
        sys.exit(f"The database does not answer ({reason}). On one's own machine `make run` starts it.")


if __name__ == "__main__":
    main()
