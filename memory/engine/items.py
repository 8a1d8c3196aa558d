"""One thing to remember, checked and complete, on its way into the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Item:
    """`index` is its place in the request. Everything that a Version holds and the caller may say."""

    index: int
    text: str
    source: str = ""
    offset: int = 0
    namespace: str = "default"
    event_at: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    kind: str | None = None
    agent: str | None = None
    subject: str | None = None
    confidence: float | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    content_hash: str | None = None
    says_metadata: bool = True
    """False when the caller gave none: then a memory that exists keeps its own."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an item: `stored | duplicate | updated | failed`; `searchable` once every index has it."""

    id: UUID | None
    status: str
    item: int
    offset: int
    version: UUID | None = None
    searchable: bool = True
    reason: str | None = None
