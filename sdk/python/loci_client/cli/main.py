"""`loci`: the arguments, and what each command's end means for the exit code."""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

from loci_client.cli import connect, ingest, login, mcp, memories
from loci_client.cli.arguments import Usage
from loci_client.cli.output import error_json, say_json, tell
from loci_client.errors import LociError, NotAuthenticated, NotConfigured, Refused
from loci_client.version import VERSION

DESCRIPTION = "Store what you learn in Loci, and ask for it later."
EPILOG = """\
first steps:
  loci login https://loci.example       keep address and key
  loci remember "The fax on ward 7 is out of order." --source ward-7
  loci search "how do I reach ward 7"
  loci ingest notes/ --watch            keep a folder of notes in memory
  loci connect claude-code              give an agent this memory

The address comes from --url, LOCI_URL or `loci login`; the key from LOCI_API_KEY, LOCI_KEY or `loci login`.
Exit codes: 0 done, 1 failed, 2 arguments or configuration that do not fit.
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    made = argparse.ArgumentParser(
        prog="loci",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"loci {VERSION}")
    commands = made.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for part in (login, memories, ingest, connect, mcp):
        part.add(commands)
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name; the exit code."""
    args = parser().parse_args(argv)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except Usage as error:
        tell(f"loci: {error}")
        return 2
    except LociError as error:
        _explain(error, as_json=args.json)
        return 2 if isinstance(error, NotConfigured) else 1
    except BrokenPipeError:
        _leave_quietly()
        return 0
    except KeyboardInterrupt:
        tell("Interrupted.")
        return 1
    except (OSError, UnicodeError) as error:
        tell(f"loci: {error}")
        return 1


def _explain(error: LociError, *, as_json: bool) -> None:
    if as_json:
        say_json(error_json(error))
        return
    tell(f"loci: {error}")
    if isinstance(error, NotAuthenticated):
        tell("Is it the key for this address? `loci login` keeps another.")
    elif isinstance(error, Refused) and error.status >= 500 and error.request_id:
        tell(f"Its request id is {error.request_id}.")


def _leave_quietly() -> None:
    """Whoever read our output has gone; Python must not complain about it once more while it ends."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
