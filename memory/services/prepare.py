"""What a scope makes of an item before it is written: namespace, bound filters, agent; and the rules for items."""

import dataclasses
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from loci.ground.errors import Forbidden, RuleBroken
from loci.ground.instants import BadInstant, parse_instant
from memory.engine.items import Item
from memory.engine.text import fixed_windows
from tenants.scope import ALL, Scope

MAX_PLAIN_TEXT = 32_768
MAX_CHUNKS = 128
RESERVED = frozenset(
    "text source offset index_root tenant_id source_content_hash source_captured_at chunk_kind chunk_window"
    " chunk_start_offset chunk_end_offset synthetic_prefix_len indexed_at tags timestamp invalidated_at".split()
)
"""Metadata keys that answers use for their own fields; compared after NFKC and case folding."""
CHUNK_CHARS = 800


def in_scope(scope: Scope, item: Item) -> Item:
    """`item` as `scope` may write it; `Forbidden` when it reaches beyond."""
    where = f"items[{item.index}]"
    namespace = item.namespace
    if namespace == "default" and not scope.reaches("default") and len(scope.namespaces) == 1:
        namespace = next(iter(scope.namespaces))
    if not scope.reaches(namespace):
        raise Forbidden(f"{where}: namespace '{namespace}' is out of this key's reach", code="namespace_out_of_reach")
    agent = item.agent
    if scope.agent != ALL:
        if agent not in (None, scope.agent):
            raise Forbidden(f"{where}: this key acts as agent '{scope.agent}' only", code="agent_out_of_reach")
        agent = scope.agent
    metadata = dict(item.metadata)
    for key, value in scope.filters.items():
        if metadata.setdefault(key, value) != value:
            raise Forbidden(f"{where}: this key writes metadata.{key} = {value!r} only", code="filter_out_of_reach")
    return dataclasses.replace(
        item,
        namespace=namespace,
        agent=agent,
        metadata=metadata,
        says_metadata=bool(item.metadata),
        **_validity(item),  # type: ignore[arg-type]
    )


def _validity(item: Item) -> dict[str, object]:
    """The seed gives validity in metadata: `valid_from`, and `valid_until`, which may be `current`."""
    found: dict[str, object] = {}
    for name, column in (("valid_from", "valid_from"), ("valid_until", "valid_to")):
        given = item.metadata.get(name)
        if given is None or (name == "valid_until" and given == "current"):
            continue
        try:
            if not isinstance(given, str):
                raise BadInstant("must be an ISO 8601 instant, such as 2026-03-20")
            found[column] = parse_instant(given, naive_is_utc=True)
        except BadInstant as error:
            raise RuleBroken(f"items[{item.index}]: metadata.{name}: {error}") from None
    start, end = found.get("valid_from", item.valid_from), found.get("valid_to", item.valid_to)
    if start and end and not start < end:  # type: ignore[operator]
        raise RuleBroken(f"items[{item.index}]: valid_from must come before valid_until")
    return found


def chunked(item: Item) -> list[Item]:
    """The fixed windows of an item sent with `chunk: true`; rule breaches name the item."""
    if not item.source.strip() or item.offset:
        raise RuleBroken(f"items[{item.index}]: chunk needs a source and offset 0")
    return [
        dataclasses.replace(item, text=text, offset=offset) for offset, text in fixed_windows(item.text, CHUNK_CHARS)
    ]


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
        if "|" in item.source or any(ord(char) < 32 or ord(char) == 127 for char in item.source):
            raise RuleBroken(f"{where}: source must not contain '|' or control characters")


def check_metadata_keys(index: int | None, metadata: Mapping[str, Any]) -> None:
    """`RuleBroken` for a key that begins with an underscore or that answers use themselves."""
    where = "metadata" if index is None else f"items[{index}]: metadata"
    for key in metadata:
        folded = unicodedata.normalize("NFKC", key).casefold()
        if not key or folded.startswith("_") or folded in RESERVED:
            raise RuleBroken(f"{where} key '{key[:64]}' is reserved: choose another")
