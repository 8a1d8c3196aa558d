"""`python -m loci.local run | stop | status | env -- COMMAND`: Loci on one machine, with nothing to install."""

import os
import signal
import subprocess
import sys

from loci.local.children import stop_leftovers
from loci.local.errors import CannotRun
from loci.local.places import Places, explained, var_folder
from loci.local.postgres import Cluster
from loci.local.postmaster import ticks
from loci.local.supervisor import Supervisor, answers, running_lock, say
from loci.local.throwaway import throwaway

USAGE = "usage: python -m loci.local run | stop | status | env -- COMMAND …"
STOP_SECONDS = 90.0


def main(arguments: list[str]) -> int:
    """Do what the arguments say; returns the exit code. What goes wrong is said in one line."""
    # libpq would read them; a PGPORT or PGOPTIONS of another project must not reach our connections
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
    places = Places(var_folder())
    try:
        match arguments:
            case ["run"]:
                Supervisor(places).run()
                return 0
            case ["stop"]:
                return stop(places)
            case ["status"]:
                return status(places)
            case ["env", "--", *command] if command:
                return run_in_environment(command)
    except CannotRun as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(explained(error, places.var), file=sys.stderr)
        return 1
    print(USAGE, file=sys.stderr)
    return 2


def stop(places: Places) -> int:
    """Stop the running Loci, or what a killed one left behind."""
    if not places.var.is_dir():
        say("Loci does not run.")
        return 0
    lock = running_lock(places)
    if lock is None:
        os.kill(int((places.var / "run.lock").read_text()), signal.SIGTERM)
        for _ in ticks(STOP_SECONDS, every=0.2):
            if lock := running_lock(places):
                break
        else:
            raise CannotRun(f"Loci did not stop within {STOP_SECONDS:.0f} s.")
        say("Loci is stopped.")
    else:
        left = stop_leftovers(places) + Cluster(places.var / "pg").stop()
        say("Stopped what was left of an earlier run." if left else "Loci does not run.")
    lock.close()
    return 0


def status(places: Places) -> int:
    """Say whether Loci runs: exit code 0 when it answers, 3 when it does not."""
    lock = running_lock(places) if places.var.is_dir() else None
    if lock or not places.env_file.is_file():
        say("Loci does not run.")
        return 3
    url = next(
        (line.partition("=")[2] for line in places.env_file.read_text().splitlines() if line.startswith("PUBLIC_URL=")),
        "",
    )
    ready = answers(f"{url}/readyz")
    say(f"Loci runs at {url}." if ready else "Loci is starting or in trouble: see the logs in var/log/.")
    return 0 if ready else 3


def run_in_environment(command: list[str]) -> int:
    """Run a command with the settings and the database of a test run; returns its exit code."""
    with throwaway(var_folder() / "test") as environment:
        return subprocess.run(command, env=os.environ | environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
