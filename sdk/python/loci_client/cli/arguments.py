"""Arguments that several commands take."""

import argparse
import json
from typing import Any


def command(commands: Any, name: str, run: Any, summary: str, description: str) -> argparse.ArgumentParser:
    """A command of `loci`, with the options that all have."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.set_defaults(run=run)
    return parser


def with_address(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """For a command that talks to Loci."""
    parser.add_argument("--url", help="the address of Loci; else LOCI_URL, else what `loci login` saved")
    return parser


def pair(text: str) -> tuple[str, Any]:
    """`KEY=VALUE`; a value that is JSON counts as that, everything else as a string."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    try:
        return key, json.loads(value, parse_constant=str)
    except (ValueError, RecursionError):
        return key, value


def json_object(text: str) -> dict[str, Any]:
    """A JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("is no JSON object")
    return value


class Usage(Exception):
    """Arguments that do not fit together; the command ends with exit code 2."""
