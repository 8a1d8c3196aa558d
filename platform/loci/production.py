"""What Loci refuses to start with: secrets that are missing, published or too short, and addresses that do not fit.

No message shows a value. The checks hold wherever DEBUG is off; those of addresses, and the refusal of secrets
that this repository prints, only where others than this machine are served.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from ipaddress import ip_network
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
SECRET_KEY_LENGTH = 50
PEPPER_LENGTH = 32
FERNET_BYTES = 32
PLACEHOLDER = re.compile(r"change[-_ ]?me|replace[-_ ]?me|django-insecure", re.IGNORECASE)
PUBLISHED = re.compile(r"protects[-_ ]nothing", re.IGNORECASE)
"""A word in every secret of the test runs, which anyone can read in the repository."""
HELP = "`python3 deploy/new_env.py` makes secrets: docs/deployment.md#secrets."
_PEPPER_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")


def peppers(text: str) -> dict[str, str]:
    """`id:pepper,id:pepper` as a mapping in that order. Raises ImproperlyConfigured."""
    pairs = [pair.strip().partition(":") for pair in text.split(",")]
    if not all(_PEPPER_ID.fullmatch(name) and pepper for name, _, pepper in pairs):
        raise ImproperlyConfigured(
            "KEY_PEPPERS is not of the form id:pepper,id:pepper, with ids of at most 32 letters, digits, - and _."
        )
    found = {name: pepper for name, _, pepper in pairs}
    if len(found) < len(pairs):
        raise ImproperlyConfigured("KEY_PEPPERS names an id twice: keys under the first of them would stop working.")
    return found


def networks(texts: Sequence[str]) -> tuple[str, ...]:
    """The networks of ALLOWED_PRIVATE_NETWORKS, each `10.0.0.0/8` or an address. Raises ImproperlyConfigured."""
    for text in texts:
        try:
            ip_network(text.strip())
        except ValueError:
            raise ImproperlyConfigured(
                f"ALLOWED_PRIVATE_NETWORKS has {text[:50]!r}, which is no network: write 10.1.0.0/16 or 10.1.2.3."
            ) from None
    return tuple(text.strip() for text in texts)


def is_served(public_url: str, hosts: Iterable[str]) -> bool:
    """Whether anyone but this machine is answered."""
    names = {urlsplit(public_url).hostname or "", *(host.strip("[]") for host in hosts)}
    return bool(names - LOOPBACK)


def demand_secrets(secret_key: str, key_peppers: dict[str, str], encryption_keys: Sequence[str]) -> None:
    """Raise ImproperlyConfigured for the first secret that protects nothing."""
    _demand_length("SECRET_KEY", secret_key, SECRET_KEY_LENGTH)
    for name, pepper in key_peppers.items():
        _demand_length(f"KEY_PEPPERS (the pepper {name})", pepper, PEPPER_LENGTH)
    for number, key in enumerate(encryption_keys, 1):
        if len(_decoded(key)) != FERNET_BYTES:
            raise ImproperlyConfigured(
                f"ENCRYPTION_KEYS (number {number}) is no Fernet key: 32 random bytes in URL-safe base64. {HELP}"
            )
    _refuse(PLACEHOLDER, "a placeholder", secret_key, key_peppers, encryption_keys)


def demand_service(
    public_url: str,
    hosts: Sequence[str],
    secret_key: str,
    key_peppers: dict[str, str],
    encryption_keys: Sequence[str],
    passwords: dict[str, str],
) -> None:
    """Raise ImproperlyConfigured for what must not be where others are served. `passwords` are by setting."""
    _refuse(PUBLISHED, "printed in Loci's repository", secret_key, key_peppers, encryption_keys)
    for name, password in passwords.items():
        if PLACEHOLDER.search(password):
            raise ImproperlyConfigured(f"{name} holds a placeholder for a password. {HELP}")
    host = urlsplit(public_url).hostname or ""
    if "*" in hosts:
        raise ImproperlyConfigured("ALLOWED_HOSTS answers every name (*): name the hosts of this installation instead.")
    if host in LOOPBACK or not host:
        raise ImproperlyConfigured(
            f"PUBLIC_URL is not set, or is this machine's own address, although ALLOWED_HOSTS names"
            f" {next(name for name in hosts if name.strip('[]') not in LOOPBACK)}: set it to where people reach Loci."
        )
    if not any(host == name or (name.startswith(".") and f".{host}".endswith(name)) for name in hosts):
        raise ImproperlyConfigured(f"ALLOWED_HOSTS does not name {host}, the host of PUBLIC_URL: add it.")


def _demand_length(name: str, value: str, least: int) -> None:
    if len(value) < least:
        raise ImproperlyConfigured(f"{name} is too short: {len(value)} characters, {least} are the least. {HELP}")
    if len(set(value)) < 5:
        raise ImproperlyConfigured(f"{name} has fewer than 5 different characters. {HELP}")


def _refuse(
    pattern: re.Pattern[str], what: str, secret_key: str, key_peppers: dict[str, str], keys: Sequence[str]
) -> None:
    held = {
        "SECRET_KEY": [secret_key],
        "KEY_PEPPERS": list(key_peppers.values()),
        "ENCRYPTION_KEYS": [*keys, *(_decoded(key).decode("latin-1") for key in keys)],
    }
    for name, values in held.items():
        if any(pattern.search(value) for value in values):
            raise ImproperlyConfigured(f"{name} is {what}, so it protects nothing. {HELP}")


def _decoded(key: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(key.strip().encode())
    except (binascii.Error, ValueError):
        return b""
