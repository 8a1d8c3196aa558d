"""Ids of memories: content-addressed with the tenant's own secret, so that an id that outlives an erasure proves
nothing to anybody else."""

import hashlib
import hmac
import json
from collections.abc import Sequence
from uuid import UUID


def _uuid(secret: bytes, parts: list[object]) -> UUID:
    """A version 8 UUID (RFC 9562 §5.8) over the first 122 bits of HMAC-SHA256."""
    mac = hmac.new(secret, json.dumps(parts, ensure_ascii=False).encode(), hashlib.sha256).digest()
    value = int.from_bytes(mac[:16], "big")
    value = (value & ~(0xF << 76)) | (0x8 << 76)
    return UUID(int=(value & ~(0x3 << 62)) | (0x2 << 62))


def content_id(
    secret: bytes, namespace: str, source: str, position: int, text: str, bound: Sequence[object] = ()
) -> UUID:
    """The id of a memory without a key: the same text from the same place is the same memory.

    `bound` is what a narrowed credential is bound to: two that cannot see each other's memories share none.
    """
    return _uuid(secret, ["content", namespace, source, position, text, *bound])


def keyed_id(secret: bytes, namespace: str, key: str) -> UUID:
    """The id of a memory with a key, whose text may change."""
    return _uuid(secret, ["key", namespace, key])
