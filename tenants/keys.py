"""The form of a service key: `loci_sk_` + 32 base62 characters + 6 of CRC32. Pure; nothing here reads the database."""

import hashlib
import hmac
import re
import secrets
import zlib

from django.conf import settings

PREFIX = "loci_sk_"
PATTERN = re.compile(r"loci_sk_([0-9A-Za-z]{32})([0-9A-Za-z]{6})")
"""For secret scanners; `well_formed` also checks the checksum."""
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _checksum(body: str) -> str:
    """CRC32 of `body` as 6 base62 digits."""
    value, digits = zlib.crc32(body.encode()), ""
    for _ in range(6):
        value, rest = divmod(value, 62)
        digits = _ALPHABET[rest] + digits
    return digits


def make() -> str:
    """A new key: 190 bits of randomness."""
    body = "".join(secrets.choice(_ALPHABET) for _ in range(32))
    return PREFIX + body + _checksum(body)


def well_formed(key: str) -> bool:
    """Whether `key` could be one of ours: refuses typos before the database is asked."""
    match = PATTERN.fullmatch(key)
    return match is not None and hmac.compare_digest(_checksum(match[1]), match[2])


def digest(key: str, pepper: str) -> bytes:
    """HMAC-SHA256 of `key` with `pepper`: 32 bytes."""
    return hmac.new(pepper.encode(), key.encode(), hashlib.sha256).digest()


def digests(key: str) -> list[bytes]:
    """What `key` is stored as under each pepper in use."""
    return [digest(key, pepper) for pepper in settings.KEY_PEPPERS.values()]


def newest_digest(key: str) -> tuple[str, bytes]:
    """The id of the newest pepper, and what `key` is stored as under it."""
    pepper_id, pepper = next(iter(settings.KEY_PEPPERS.items()))
    return pepper_id, digest(key, pepper)
