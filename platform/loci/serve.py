"""`python -m loci.serve web | worker | beat`: become that process, which therefore gets the signals.

Settings with which Loci does not start are one line here, instead of a traceback from each of the server's processes.
"""

import os
import sys

from loci.processes import PROCESSES, ROOT, environment_of

USAGE = "usage: python -m loci.serve web | worker | beat"


def main(arguments: list[str]) -> str:
    """Become the process that the arguments name; returns only to say why not, in one line."""
    if len(arguments) != 1 or arguments[0] not in PROCESSES:
        return USAGE
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loci.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    try:
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        return str(error)
    environment = environment_of(os.environ)
    command = PROCESSES[arguments[0]](environment)
    os.chdir(ROOT)
    os.execve(command[0], command, environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
