"""How a value of metadata is written down for comparison: one text form, and a number or instant where it is one."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from loci.ground.instants import maybe_instant

WHOLE = 500
"""Longer strings are compared by their first 500 characters and a digest; a prefix may be this long."""
MAX_NAME, MAX_NAME_BYTES = 300, 500
"""A longer dotted path is stored but cannot be filtered by: path and value stand in one row of an index."""
MAX_ROWS = 256
"""Filterable values of one version; a value beyond that is stored but cannot be filtered by."""


@dataclass(frozen=True, slots=True)
class ComparableValue:
    """`text` distinguishes types (`s:` string, `n:` number, `b:` boolean, `z` null)."""

    text: str
    number: float | None = None
    moment: datetime | None = None


def comparable(value: Any) -> ComparableValue:
    """The comparable form of a JSON scalar."""
    if value is None:
        return ComparableValue("z")
    if isinstance(value, bool):
        return ComparableValue("b:true" if value else "b:false")
    if isinstance(value, int):
        return ComparableValue(f"n:{value}", float(value))
    if isinstance(value, float):
        # through its shortest decimal form, as JSON and PostgreSQL's jsonb write it
        return ComparableValue(f"n:{int(Decimal(repr(value))) if value.is_integer() else value!r}", value)
    text = str(value)
    if len(text) > WHOLE:
        return ComparableValue(f"s:{text[:WHOLE]}~{hashlib.sha256(text.encode()).hexdigest()}")
    return ComparableValue(f"s:{text}", None, maybe_instant(text))


def after_prefix(prefix: str) -> str | None:
    """The first string after all that begin with `prefix`, by code point; None when nothing comes after them."""
    kept = prefix.rstrip("\U0010ffff")
    if not kept:
        return None
    code = ord(kept[-1]) + 1
    return kept[:-1] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)


def flatten(metadata: Mapping[str, Any], tags: Sequence[str]) -> list[tuple[str, int, ComparableValue]]:
    """The filterable values of a version: (field, ordinal, value). Nested objects by dotted path, lists by element."""
    rows: list[tuple[str, int, ComparableValue]] = []
    seen: dict[str, int] = {}
    pairs = [*(("tags", tag) for tag in tags), *_walk("metadata", metadata)]
    # plain values first: what a key is bound to is one, and must not fall off the end; then by name, since jsonb
    # does not keep the order of keys
    sizes = Counter(field for field, _ in pairs)
    pairs.sort(key=lambda pair: (pair[0].count("."), sizes[pair[0]], pair[0]))
    for field, value in pairs[:MAX_ROWS]:
        ordinal = seen.get(field, 0)
        seen[field] = ordinal + 1
        rows.append((field, ordinal, comparable(value)))
    return rows


def _walk(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            name = f"{path}.{key}"
            if len(name) <= MAX_NAME and len(name.encode()) <= MAX_NAME_BYTES:
                yield from _walk(name, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(path, inner)
    else:
        yield path, value
