"""`login`: keep address and key for the next commands."""

import argparse
import getpass
import ipaddress
import sys
from typing import Any

import httpx

from loci_client.cli.arguments import Usage, command
from loci_client.cli.output import say, say_json, tell
from loci_client.clients import Loci
from loci_client.errors import Forbidden
from loci_client.settings import Settings, base_url, save


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(
        commands,
        "login",
        login,
        "keep address and key for the next commands",
        "Keep the address and a service key in a file that only you can read. The key is asked for, or read from\n"
        "standard input when that is no terminal; it is tried before it is kept.",
    )
    parser.add_argument("url", metavar="URL", help="the address of Loci, such as https://loci.example")


def login(args: argparse.Namespace) -> int:
    """Carry out `loci login`."""
    key = (getpass.getpass("Service key: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not key:
        raise Usage("no key was given")
    settings = Settings(base_url(args.url), key)
    if _is_open(settings.url):
        tell("warning: over http:// the key can be read on its way; use https://")
    with Loci(settings.url, key) as loci:
        try:
            loci.status()
        except Forbidden:
            pass  # a key that may only write is a key too
    file = save(settings)
    if args.json:
        say_json({"url": settings.url, "file": str(file)})
    else:
        say(f"The key works. Address and key are in {file}.")
    return 0


def _is_open(url: str) -> bool:
    """Whether others could read what is sent there: it is not encrypted, and leaves this machine."""
    parsed = httpx.URL(url)  # as the request reads it
    if parsed.scheme == "https" or parsed.host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(parsed.host).is_loopback
    except ValueError:
        return True
