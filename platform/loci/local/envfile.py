"""`var/loci.env`: the secrets of a local Loci, made once, and the addresses that each start renews."""

import base64
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from loci.local.places import write_private

HEADING = "# Written by `make run`. Secrets are kept, addresses are renewed at each start; your own lines stay."


def fernet_key() -> str:
    """A key for `cryptography.fernet`: 32 random bytes in URL-safe base64."""
    return base64.urlsafe_b64encode(os.urandom(32)).decode()


SECRETS: dict[str, Callable[[], str]] = {
    "SECRET_KEY": lambda: secrets.token_urlsafe(48),
    "KEY_PEPPERS": lambda: f"p1:{secrets.token_hex(32)}",
    "ENCRYPTION_KEYS": fernet_key,
    "METRICS_TOKEN": lambda: secrets.token_urlsafe(24),
}


def renew(path: Path, addresses: Mapping[str, str]) -> dict[str, str]:
    """Write the file (0600): missing secrets are added, `addresses` replaced, other lines left alone.

    Returns all the file's values, your own lines included.
    """
    lines = path.read_text().splitlines() if path.is_file() else [HEADING]
    found = {line.partition("=")[0]: line.partition("=")[2] for line in lines if _assigns(line)}
    changed = {name: make() for name, make in SECRETS.items() if not found.get(name)} | dict(addresses)
    kept = [line for line in lines if not (_assigns(line) and line.partition("=")[0] in changed)]
    text = "\n".join([*kept, *(f"{name}={value}" for name, value in changed.items())]) + "\n"
    if not path.is_file() or path.read_text() != text:
        write_private(path, text)
    return found | changed


def _assigns(line: str) -> bool:
    return "=" in line and not line.lstrip().startswith("#")
