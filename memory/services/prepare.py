"""What a scope makes of an item before it is written: namespace, bound filters, agent; and the rules for items."""

import dataclasses
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from loci.ground.errors import Forbidden, RuleBroken
from loci.ground.instants import BadInstant, parse_instant, to_text
from memory.engine.items import Item
from memory.engine.text import fixed_windows
from tenants.scope import ALL, DEFAULT, Scope

MAX_PLAIN_TEXT = 32_768
MAX_CHUNKS = 128
MAX_METADATA, MAX_DEPTH = 16_384, 32
MAX_SOURCE_BYTES = 2_500
"""Source and namespace stand in one row of an index, which holds at most 2,704 bytes."""
RESERVED = frozenset(
    [
        "text",
        "source",
        "offset",
        "index_root",
        "tenant_id",
        "source_content_hash",
        "source_captured_at",
        "chunk_kind",
        "chunk_window",
        "chunk_start_offset",
        "chunk_end_offset",
        "synthetic_prefix_len",
        "indexed_at",
        "tags",
        "timestamp",
        "invalidated_at",
    ]
)
"""Metadata keys that answers use for their own fields; compared after NFKC and case folding."""
CHUNK_CHARS = 800
NAMED = 10
"""Namespaces that a refusal names."""


def in_scope(scope: Scope, item: Item) -> Item:
    """`item` as `scope` may write it; `Forbidden` when it reaches beyond."""
    where = f"items[{item.index}]: "
    namespace = item.namespace
    if namespace == DEFAULT and not scope.reaches(DEFAULT):
        namespace = scope.home
    if not scope.reaches(namespace):
        within = ", ".join(f"'{name}'" for name in sorted(scope.namespaces)[:NAMED]) or "none at all"
        raise Forbidden(
            f"{where}namespace '{namespace}' is out of this key's reach, which is {within}: name one of these",
            code="namespace_out_of_reach",
        )
    agent = item.agent
    if scope.agent != ALL:
        if agent not in (None, scope.agent):
            raise Forbidden(f"{where}this key acts as agent '{scope.agent}' only", code="agent_out_of_reach")
        agent = scope.agent
    return dataclasses.replace(
        item,
        namespace=namespace,
        agent=agent,
        metadata=stamped(scope, item.metadata, where),
        says_metadata=bool(item.metadata),
        **_validity(item),  # type: ignore[arg-type]
    )


def stamped(scope: Scope, metadata: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """`metadata` with the scope's bound filters in it; `Forbidden` when it says otherwise."""
    result = dict(metadata)
    for key, value in scope.filters.items():
        if not same_json(result.setdefault(key, value), value):
            raise Forbidden(f"{where}this key writes metadata.{key} = {value!r} only", code="filter_out_of_reach")
    return result


def bound_to(scope: Scope) -> list[object]:
    """What a narrowed credential is bound to beside its namespaces; nothing for one that is not."""
    if not scope.filters and scope.agent == ALL:
        return []
    return [scope.agent, sorted(scope.filters.items())]


def same_json(one: Any, other: Any) -> bool:
    """Equality as JSON has it: true is not 1, but 1 is 1.0."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _validity(item: Item) -> dict[str, datetime]:
    where = f"items[{item.index}]: "
    found = validity(item.metadata, where)
    check_order(found.get("valid_from", item.valid_from), found.get("valid_to", item.valid_to), where)
    return found


def validity(metadata: Mapping[str, Any], where: str) -> dict[str, datetime]:
    """The seed gives validity in metadata: `valid_from`, and `valid_until`, which may be `current`."""
    found: dict[str, datetime] = {}
    for name, column in (("valid_from", "valid_from"), ("valid_until", "valid_to")):
        given = metadata.get(name)
        if given is None or (name == "valid_until" and given == "current"):
            continue
        try:
            if not isinstance(given, str):
                raise BadInstant("must be an ISO 8601 instant, such as 2026-03-20")
            found[column] = parse_instant(given, naive_is_utc=True)
        except BadInstant as error:
            raise RuleBroken(f"{where}metadata.{name}: {error}") from None
    return found


def check_order(start: datetime | None, end: datetime | None, where: str = "") -> None:
    """`RuleBroken` for a validity that ends before it begins."""
    if start and end and not start < end:
        raise RuleBroken(
            f"{where}valid_from must come before valid_until: {to_text(start)} does not come before {to_text(end)}"
        )


def chunked(item: Item) -> list[Item]:
    """The fixed windows of an item sent with `chunk: true`; rule breaches name the item."""
    if not item.source.strip() or item.offset:
        raise RuleBroken(f"items[{item.index}]: chunk needs a source and offset 0")
    pieces = fixed_windows(item.text, CHUNK_CHARS)
    if not pieces:
        raise RuleBroken(f"items[{item.index}]: text is blank")
    return [dataclasses.replace(item, text=text, offset=offset) for offset, text in pieces]


def check_rules(items: Sequence[Item]) -> None:
    """The seed's rules for well-formed items; `RuleBroken` names the first item at fault."""
    for item in items:
        where = f"items[{item.index}]"
        if len(item.text) > MAX_PLAIN_TEXT:
            raise RuleBroken(f"{where}: text exceeds {MAX_PLAIN_TEXT} characters; send it with chunk: true")
        if not item.text.strip():
            raise RuleBroken(f"{where}: text is blank")
        if len(item.source) > 1024:
            raise RuleBroken(f"{where}: source exceeds 1024 characters")
        if (size := len((item.source + item.namespace).encode())) > MAX_SOURCE_BYTES:
            raise RuleBroken(
                f"{where}: source and namespace have {size} bytes in UTF-8, {MAX_SOURCE_BYTES} are the most:"
                f" shorten the source by {size - MAX_SOURCE_BYTES} bytes"
            )
        if "|" in item.source or any(ord(char) < 32 or ord(char) == 127 for char in item.source):
            raise RuleBroken(f"{where}: source must not contain '|' or control characters")


def check_metadata_keys(index: int | None, metadata: Mapping[str, Any]) -> None:
    """`RuleBroken` for a key that begins with an underscore or that answers use themselves."""
    where = "metadata" if index is None else f"items[{index}]: metadata"
    for key in metadata:
        folded = unicodedata.normalize("NFKC", key).casefold()
        if not key or folded.startswith("_") or folded in RESERVED:
            raise RuleBroken(f"{where} key '{key[:64]}' is reserved: choose another")


def metadata_fault(metadata: Mapping[str, Any]) -> str | None:
    """What is too much about metadata, or None. Iterative, since nesting is the caller's."""
    if len(metadata) > 32:
        return "has more than 32 keys"
    level: list[Any] = [metadata]
    for _ in range(MAX_DEPTH + 1):
        if any(isinstance(item, int) and not -(2**63) <= item < 2**63 for item in level):
            return "holds an integer beyond 64 bits"
        level = [inner for item in level for inner in _inside(item)]
    if level:
        return f"is nested deeper than {MAX_DEPTH}"
    if len(json.dumps(metadata, ensure_ascii=False)) > MAX_METADATA:
        return f"is longer than {MAX_METADATA} characters as JSON"
    return None


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
