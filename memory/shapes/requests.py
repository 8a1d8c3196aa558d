"""The shapes of REST requests. A superset of the seed's, field for field."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from loci.ground.instants import BadInstant, parse_instant
from memory.engine.clauses import Clause, of_confidence, of_filters, of_list, of_tier
from memory.engine.filters import FilterError, Range, parse_filters
from memory.engine.tuning import Overrides
from memory.engine.types import View
from memory.services.prepare import metadata_fault
from memory.shapes.ranking import ALL_OFF, Detail, Mode, Ranking
from memory.shapes.strict import Strict

KINDS = (
    "fact", "preference", "event", "relationship", "procedure", "open_question", "quote",
    "code_decision", "bug", "api_contract", "requirement", "todo",
)  # fmt: skip


def _seed_instant(text: str) -> str:
    try:
        parse_instant(text, naive_is_utc=True)
    except BadInstant as error:
        raise ValueError(str(error)) from None
    return text


SeedInstant = Annotated[str, Field(max_length=64), AfterValidator(_seed_instant)]
"""ISO 8601; without an offset it is UTC."""


def instant(text: str | None) -> datetime | None:
    """The moment of a `SeedInstant`."""
    return None if text is None else parse_instant(text, naive_is_utc=True)


def with_offset(text: str) -> str:
    """`text`, which names an instant; a date-time without an offset is a fault. A bare date is midnight UTC."""
    try:
        parse_instant(text, naive_is_utc=False)
    except BadInstant as error:
        raise ValueError(str(error)) from None
    return text


Instant = Annotated[str, Field(max_length=64), AfterValidator(with_offset)]
"""ISO 8601 with an offset; a bare date is midnight UTC."""


def _metadata(value: dict[str, Any]) -> dict[str, Any]:
    if fault := metadata_fault(value):
        raise ValueError(fault)
    return value


Metadata = Annotated[dict[str, Any], AfterValidator(_metadata)]
Tags = Annotated[list[Annotated[str, Field(min_length=1, max_length=128)]], Field(max_length=32)]
Namespace = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f|*]+$")]


def _filters(value: Any) -> Any:
    try:
        parse_filters(value)
    except FilterError as error:
        where = ".".join(str(part)[:64] for part in error.path)
        reason = f"{where}: {error}" if where else str(error)
        raise PydanticCustomError("filter", "{reason}", {"reason": reason, "path": error.path}) from None
    return value


Filters = Annotated[dict[str, Any] | None, AfterValidator(_filters)]


def _uuid(value: Any) -> Any:
    return UUID(value) if isinstance(value, str) else value


MemoryId = Annotated[UUID, BeforeValidator(_uuid)]


class WriteItem(Strict):
    """One thing to remember."""

    text: str = Field(min_length=1, max_length=262_144)
    chunk: bool = Field(False, description="Cut into windows of 800 characters; needs a source and offset 0.")
    source: str = Field("", max_length=4096)
    offset: int = Field(0, ge=0, le=2**53 - 1)
    timestamp: SeedInstant | None = Field(None, description="When it happened, ISO 8601; UTC without an offset.")
    tags: Tags = []
    metadata: Metadata = {}
    namespace: Namespace = "default"
    subject: str | None = Field(None, min_length=1, max_length=256, description="The person it is about.")
    agent: str | None = Field(None, min_length=1, max_length=128)
    kind: Literal[KINDS] | None = None  # type: ignore[valid-type]
    confidence: float | None = Field(None, ge=0, le=1)


class WriteRequest(Strict):
    """Up to 64 items are searchable when the answer comes; 65 to 1,000 become a job."""

    items: list[WriteItem] = Field(min_length=1, max_length=1000)


class JobQuery(Strict):
    """Paging of jobs."""

    limit: int = Field(50, ge=1, le=200)
    before: SeedInstant | None = None


class ListQuery(Strict):
    """Which memories to list."""

    source: str = Field(min_length=1, max_length=1024)
    after: MemoryId | None = None
    limit: int = Field(500, ge=1, le=500)
    index_root: str | None = Field(None, max_length=4096)


class CorrectRequest(Strict):
    """What to change; the rest stays. `metadata` is merged, a null removes its key."""

    text: str | None = Field(None, min_length=1, max_length=262_144)
    metadata: Metadata | None = None
    tags: Tags | None = None

    @model_validator(mode="after")
    def says_something(self) -> Self:
        """At least one change."""
        if self.text is None and self.metadata is None and self.tags is None:
            raise ValueError("give at least one of text, metadata and tags")
        return self


def _raw_id(value: Any) -> Any:
    """The seed takes a UUID or an unsigned 64-bit number; no memory of ours has a number."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("must be a UUID")
    if isinstance(value, int) or value.isdigit():
        if not 0 <= int(value) < 2**64:
            raise ValueError("must be a UUID or an unsigned 64-bit integer")
        return UUID(int=int(value))
    try:
        return UUID(value)
    except ValueError:
        raise ValueError("must be a UUID") from None


class Selection(Strict):
    """Exactly one of ids and source."""

    ids: list[Annotated[UUID, BeforeValidator(_raw_id)]] | None = Field(None, min_length=1, max_length=256)
    source: str | None = Field(None, min_length=1, max_length=1024)
    index_root: str | None = Field(None, max_length=4096)

    @model_validator(mode="after")
    def one_of(self) -> Self:
        """Exactly one way to name the memories."""
        if (self.ids is None) == (self.source is None):
            raise ValueError("give exactly one of ids and source")
        return self


class InvalidateRequest(Selection):
    """What to retract, and since when it no longer holds."""

    invalidated_at: SeedInstant | None = None
    valid_until: SeedInstant | None = None


class Turn(Strict):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str = Field(max_length=32_768)


class RecallRequest(Ranking):
    """What to look for."""

    query: str = Field(min_length=1, max_length=32_768)
    limit: int = Field(10, ge=1, le=100)
    mode: Mode = "hybrid"
    full_pipeline: bool = Field(True, description="false: no stages, whatever `stages` says.")
    retry_on_weak: bool | None = Field(None, description="Where little is found, ask again in other words.")
    include_trace: bool = False
    history: list[Turn] = Field(
        default_factory=list,
        max_length=64,
        description="The conversation before the query, oldest first: the language model puts what `it` stands for in.",
    )
    expand: bool = Field(False, description="Look for up to 3 other wordings of the query too; needs a language model.")
    hyde: bool = Field(False, description="Look for what an answer might read like too; needs a language model.")
    filters: Filters = None
    token_budget: int | None = Field(None, ge=1)
    include_invalidated: bool = False
    as_of: SeedInstant | None = Field(None, description="What held then, whether or not it was retracted since.")
    namespaces: list[Namespace] | None = Field(None, max_length=64)
    tags: Tags | None = Field(None, description="Only with at least one of these.")
    kinds: list[Literal[KINDS]] | None = Field(None, max_length=12)  # type: ignore[valid-type]
    tier: Literal["facts", "chunks", "both"] = Field("both", description="facts: extracted ones and notes.")
    min_confidence: float | None = Field(None, ge=0, le=1, description="What says nothing of its own is certain.")
    since: Instant | None = Field(None, description="Only what happened at or after this moment.")
    until: Instant | None = Field(None, description="Only what happened before this moment.")
    include_neighbors: bool = Field(False, description="With what stands beside each result in its source.")
    neighbor_radius: int = Field(1, ge=1, le=5, description="How many on each side.")
    detail: Detail = "full"

    @model_validator(mode="after")
    def in_order(self) -> Self:
        """An empty span is a mistake."""
        start, end = instant(self.since), instant(self.until)
        if start and end and not start < end:
            raise ValueError("since must come before until")
        return self

    @property
    def clauses(self) -> list[Clause]:
        """All conditions, each under the name of its field."""
        start, end = instant(self.since), instant(self.until)
        return [
            *of_filters(self.filters),
            *of_list("namespaces", "namespace", self.namespaces),
            *of_list("tags", "tags", self.tags),
            *of_list("kinds", "kind", self.kinds),
            *of_tier(self.tier),
            *of_confidence(self.min_confidence),
            *([Clause("since", Range("timestamp", gte=start))] if start else []),
            *([Clause("until", Range("timestamp", lt=end))] if end else []),
        ]

    @property
    def view(self) -> View:
        """The time from which to look."""
        as_of = instant(self.as_of)
        return View(valid_at=as_of, include_invalidated=self.include_invalidated, ignore_invalidation=as_of is not None)

    @property
    def ways(self) -> Overrides:
        """What this recall does otherwise than the tenant has set."""
        return self.overrides if self.full_pipeline else replace(self.overrides, stages=ALL_OFF, rerank="off")


class WhyRequest(RecallRequest):
    """A recall, and the memory that is asked about."""

    memory_id: MemoryId


class ToolsQuery(Strict):
    """How tools are to be declared, and which."""

    format: Literal["openai", "anthropic", "gemini"] = "openai"
    tools: str | None = Field(None, min_length=1, max_length=1024)
