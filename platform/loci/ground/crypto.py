"""Secrets at rest: Fernet with rotatable keys."""

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.ENCRYPTION_KEYS])


def seal(plain: bytes) -> bytes:
    """`plain` encrypted with the newest key."""
    return _box().encrypt(plain)


def unseal(sealed: bytes) -> bytes:
    """What `seal` was given; raises `cryptography.fernet.InvalidToken` when no key fits."""
    return _box().decrypt(sealed)
