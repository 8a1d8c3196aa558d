"""The shapes of REST answers. A superset of the seed's, field for field."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue


class RootResponse(BaseModel):
    """What this is."""

    name: str
    version: str
    docs: str


class HealthResponse(BaseModel):
    """Whether the parts answer, in the seed's words: `qdrant` is the vector index, `memgraph` the graph."""

    status: Literal["ok", "degraded"]
    version: str
    provider: str
    collection: str
    qdrant: bool
    memgraph: bool


class TenantStatus(BaseModel):
    """How a tenant stands; all null for a narrowed key."""

    memories: int | None
    memories_limit: float | None
    index_pending: int | None
    index_lag_seconds: float | None


class StatusResponse(BaseModel):
    """The server's parts in the seed's words, and the tenant."""

    version: str
    provider: str
    llm: str | None
    collection: str
    qdrant_url: str | None
    qdrant: bool
    embedding: str
    memgraph: bool
    recall_calls: float | None
    degraded_events: float | None
    tenant: TenantStatus


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


class JobAccepted(BaseModel):
    """What became of a write too large to be done at once: `url` tells how far it is."""

    job: str
    state: str
    total: int
    url: str


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


class EraseResponse(BaseModel):
    """`complete` false: the source holds more, call again."""

    requested: int
    deleted: int
    complete: bool


class InvalidateResponse(BaseModel):
    """`complete` false: the source holds more, call again."""

    requested: int
    invalidated: int
    complete: bool


class FeedbackResponse(BaseModel):
    """What was learned. `query_type` is the shape of query that it counts for, `q_learning_updates` how many
    retrievers it moved, `ior_recorded` whether it counts as a showing."""

    ok: bool
    hit_id: str
    signal: Literal["useful", "clicked", "irrelevant"]
    reward: float
    query_type: str
    ior_recorded: bool
    q_learning_updates: int


class NeighborResponse(BaseModel):
    """What stands `distance` places after (+) or before (-) a result in its source."""

    id: str
    distance: int
    text: str
    metadata: dict[str, Any]


class RecallHit(BaseModel):
    """One result. The order of the list is what counts; `score` lies in [0, 1] and compares within one answer."""

    id: str
    text: str
    score: float
    source: str | None
    retrievers: list[str]
    metadata: dict[str, Any]
    cut: bool | None = None
    neighbors: list[NeighborResponse] | None = None
    explanation: dict[str, Any] | None = None


class WhyRetriever(BaseModel):
    """What a retriever makes of the memory: `rank` null: not among its first 1,000; `margin`: by how much its score
    misses that of the last hit that was taken."""

    rank: int | None
    score: float | None
    taken: int
    last_score: float | None
    margin: float | None


class WhyResponse(BaseModel):
    """What became of a memory in a recall. `rank`: its place; `margin`: the log-odds by which it misses the last
    result; `filtered_by`: the request's fields that keep it out; `times`: which time keeps it from view; `indexed`
    false: it has no vector yet."""

    id: str
    version: str
    verdict: Literal["returned", "over_token_budget", "below_limit", "below_cut", "filtered", "other_time"]
    rank: int | None
    margin: float | None
    parts: dict[str, float]
    retrievers: dict[str, WhyRetriever]
    filtered_by: list[str]
    times: list[str]
    indexed: bool
    degraded: list[str]
    notes: list[str]


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


class ToolList(BaseModel):
    """Declarations in the format asked for."""

    tools: list[dict[str, Any]]


class ResourceMetadata(BaseModel):
    """RFC 9728: there is no authorization server yet, so none is named."""

    resource: str
    resource_name: str
    bearer_methods_supported: list[str]
    scopes_supported: list[str]
    resource_documentation: str


class ToolArguments(BaseModel):
    """A tool's arguments: GET /tools declares them."""

    model_config = ConfigDict(extra="allow")


class ToolResult(BaseModel):
    """A tool's result: docs/tools.md describes it."""

    model_config = ConfigDict(extra="allow")
