#!/usr/bin/env python
"""Django's command line, with `platform/` (the folder that holds the package `loci`) on the path."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Run the management command that the arguments name."""
    root = Path(__file__).resolve().parent
    sys.path[:0] = [str(root / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loci.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
