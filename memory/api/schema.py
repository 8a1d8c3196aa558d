"""The shapes of REST requests and answers. A superset of the seed's, field for field."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

from memory.engine.filters import FilterError, parse_filters
from loci.ground.instants import BadInstant, parse_instant

MAX_INT = 2**63 - 1
KINDS = (
    "fact", "preference", "event", "relationship", "procedure", "open_question", "quote",
    "code_decision", "bug", "api_contract", "requirement", "todo",
)  # fmt: skip


class Strict(BaseModel):
    """Unknown fields are faults."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


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


def _depth(value: Any) -> int:
    deepest, stack = 0, [(value, 1)]
    while stack:
        item, depth = stack.pop()
        deepest = max(deepest, depth)
        if depth > 64:
            break
        inner = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        stack.extend((one, depth + 1) for one in inner)
    return deepest


def _metadata(value: dict[str, Any]) -> dict[str, Any]:
    if len(value) > 32:
        raise ValueError("has more than 32 keys")
    if _depth(value) > 33:
        raise ValueError("is nested deeper than 32")
    if len(json.dumps(value, ensure_ascii=False)) > 16_384:
        raise ValueError("is longer than 16384 characters as JSON")
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, bool):
            continue
        if isinstance(item, int) and not -MAX_INT - 1 <= item <= MAX_INT:
            raise ValueError("holds an integer beyond 64 bits")
        stack.extend(item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())
    return value


Metadata = Annotated[dict[str, Any], AfterValidator(_metadata)]
Tags = Annotated[list[Annotated[str, Field(min_length=1, max_length=128)]], Field(max_length=32)]
Namespace = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f|*]+$")]


def _filters(value: Any) -> Any:
    try:
        parse_filters(value)
    except FilterError as error:
        where = ".".join(str(part) for part in error.path)
        raise ValueError(f"{where}: {error}" if where else str(error)) from None
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


class WriteResult(BaseModel):
    """What became of one item."""

    id: str | None
    status: Literal["stored", "duplicate", "updated", "failed"]
    item: int
    offset: int
    searchable: bool = True
    reason: str | None = None


class WriteResponse(BaseModel):
    """`updated` items are counted under `duplicates` too, as in the seed."""

    results: list[WriteResult]
    stored: int
    duplicates: int
    failed: int
    notes: list[str] = []


class JobResponse(BaseModel):
    """A job and how far it is."""

    id: str
    kind: str
    state: Literal["queued", "running", "succeeded", "failed"]
    total: int
    done: int
    result: dict[str, Any] | None = None
    error: str | None = None
    created_at: str
    finished_at: str | None = None


class JobList(BaseModel):
    """A page of jobs, newest first."""

    items: list[JobResponse]
    next: str | None


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


class ListItem(BaseModel):
    """Ids and integrity, no text."""

    id: str
    content_hash: str | None
    timestamp: str | None
    indexed_at: str | None


class ListResponse(BaseModel):
    """`complete` false: ask again with `after` set to the last id."""

    items: list[ListItem]
    complete: bool


class MemoryResponse(BaseModel):
    """A memory as it is believed now, or as it last was if it was retracted."""

    id: str
    version: str
    text: str
    source: str
    offset: int
    namespace: str
    key: str | None
    tier: str
    kind: str | None
    timestamp: str | None
    metadata: dict[str, JsonValue]
    tags: list[str]
    agent: str | None
    subject: str | None
    confidence: float | None
    valid_from: str | None
    valid_to: str | None
    known_from: str
    known_to: str | None
    invalidated_at: str | None
    expires_at: str | None
    written_by: str
    language: str
    indexed_at: str | None


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


class EraseResponse(BaseModel):
    """`complete` false: the source holds more, call again."""

    requested: int
    deleted: int
    complete: bool


class InvalidateRequest(Selection):
    """What to retract, and since when it no longer holds."""

    invalidated_at: SeedInstant | None = None
    valid_until: SeedInstant | None = None


class InvalidateResponse(BaseModel):
    """`complete` false: the source holds more, call again."""

    requested: int
    invalidated: int
    complete: bool


class RecallRequest(Strict):
    """What to look for."""

    query: str = Field(min_length=1, max_length=32_768)
    limit: int = Field(10, ge=1, le=100)
    full_pipeline: bool = True
    retry_on_weak: bool | None = None
    include_trace: bool = False
    filters: Filters = None
    token_budget: int | None = Field(None, ge=1)
    include_invalidated: bool = False
    as_of: SeedInstant | None = Field(None, description="What held then, whether or not it was retracted since.")
    namespaces: list[Namespace] | None = Field(None, max_length=64)


class RecallHit(BaseModel):
    """One result. The order of the list is what counts; `score` lies in [0, 1] and compares within one answer."""

    id: str
    text: str
    score: float
    source: str | None
    retrievers: list[str]
    metadata: dict[str, Any]
    explanation: dict[str, Any] | None = None


class RecallResponse(BaseModel):
    """`degraded` names what fell back, `notes` what did not apply."""

    query: str
    results: list[RecallHit]
    degraded: list[str]
    notes: list[str]
    trace: dict[str, Any] | None
    tokens_estimate: int


class Problem(BaseModel):
    """RFC 9457. `detail` is a list of faults for schema errors and a string for everything else."""

    type: str
    title: str
    status: int
    detail: str | list[dict[str, Any]]
    code: str
    request_id: str
    errors: list[dict[str, str]] = []
