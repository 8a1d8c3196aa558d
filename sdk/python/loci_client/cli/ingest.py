"""`ingest`: text files of a folder."""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from loci_client.cli.arguments import Usage, command, with_address
from loci_client.cli.output import plural, say, say_json, tell
from loci_client.clients import Loci
from loci_client.errors import NotReached, RateLimited, ServerFailed
from loci_client.folders import FileOutcome, Folder, Ingestion, Watch

PASSING = (NotReached, RateLimited, ServerFailed)
"""What a watch waits out."""


def add(commands: Any) -> None:
    """Add the command."""
    parser = with_address(
        command(
            commands,
            "ingest",
            ingest,
            "store the text files of a folder",
            "Store the .md and .txt files of a folder, cut into windows of at most 800 characters. Run it again\n"
            "whenever you like: what is there already stays as it is, what a file no longer holds is retracted.",
        )
    )
    parser.add_argument("path", type=Path, metavar="PATH", help="a folder, or one file")
    parser.add_argument("--watch", action="store_true", help="go on, and take up what changes, until Ctrl-C")
    parser.add_argument("--interval", type=float, default=1.0, metavar="SECONDS", help="between two looks (1)")
    parser.add_argument("--namespace", help="where the memories go")
    parser.add_argument(
        "--root", metavar="NAME", help="the first part of the sources; the folder's own name if not given"
    )
    parser.add_argument("--keep", action="store_true", help="do not retract what files no longer hold")


def ingest(args: argparse.Namespace) -> int:
    """Carry out `loci ingest`."""
    if not args.path.exists():
        raise Usage(f"there is no {args.path}")
    if not args.interval > 0:
        raise Usage("--interval is a number of seconds above 0")
    folder = Folder.at(args.path, args.root, args.namespace)
    with Loci(args.url) as loci:
        ingestion = Ingestion(loci, folder, keep=args.keep)
        return _watch(args, Watch(ingestion)) if args.watch else _once(args, ingestion)


def _once(args: argparse.Namespace, ingestion: Ingestion) -> int:
    outcomes = list(_told(ingestion.file(path) for path in ingestion.folder.files()))
    failed = [outcome for outcome in outcomes if outcome.error]
    total = {
        "files": len(outcomes) - len(failed),
        "stored": sum(outcome.stored for outcome in outcomes),
        "unchanged": sum(outcome.unchanged for outcome in outcomes),
        "retracted": sum(outcome.retracted for outcome in outcomes),
    }
    if args.json:
        errors = [{"file": str(outcome.path), "error": outcome.error} for outcome in failed]
        say_json({**total, "failed": errors})
    else:
        say(
            f"{plural(total['files'], 'file')}: {plural(total['stored'], 'memory', 'memories')} stored, "
            f"{total['unchanged']:,} there already, {total['retracted']:,} retracted."
        )
    return 1 if failed else 0


def _told(outcomes: Iterable[FileOutcome]) -> Iterator[FileOutcome]:
    for outcome in outcomes:
        tell(_line(outcome))
        yield outcome


def _line(outcome: FileOutcome) -> str:
    if outcome.error:
        return f"{outcome.source}: not stored: {outcome.error}"
    changes = [(outcome.stored, "stored"), (outcome.unchanged, "there already"), (outcome.retracted, "retracted")]
    return f"{outcome.source}: {', '.join(f'{count:,} {what}' for count, what in changes if count) or 'empty'}"


def _watch(args: argparse.Namespace, watch: Watch) -> int:
    """Until Ctrl-C, which is how it is meant to end."""
    look: Callable[[], Iterator[FileOutcome]] = watch.first
    tell(f"Watching {args.path}; Ctrl-C ends it.")
    try:
        while True:
            try:
                for outcome in look():
                    tell(_line(outcome))
                    if args.json:
                        say_json(outcome)
                look = watch.look
            except PASSING as error:
                tell(f"{error}: trying again")
            time.sleep(args.interval)
    except KeyboardInterrupt:
        tell("Ended.")
        return 0
