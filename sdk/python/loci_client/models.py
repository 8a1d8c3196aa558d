"""What goes in and what comes out. Answers are frozen; `raw` is the JSON that an answer was made from, with fields
that this version of the package does not know."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Required, TypedDict, get_args

from loci_client.decoding import decode

Instant = datetime | str
"""A moment: a `datetime` (without a zone it counts as UTC), or ISO 8601."""


class ItemFields(TypedDict, total=False):
    """What can be said about a text beside itself."""

    source: str
    offset: int
    chunk: bool
    timestamp: Instant
    tags: list[str]
    metadata: Mapping[str, Any]
    namespace: str
    subject: str
    agent: str
    kind: str
    confidence: float


class Item(ItemFields, total=False):
    """One thing to remember."""

    text: Required[str]


Mode = Literal["hybrid", "natural", "keyword", "exact", "fuzzy", "raw", "vector"]
"""How a recall reads the question: by meaning and by word; by word alone, in five ways; by meaning alone."""
MODES: tuple[Mode, ...] = get_args(Mode)


class RecallOptions(TypedDict, total=False):
    """What can be asked of a recall beside the question."""

    limit: int
    filters: Mapping[str, Any]
    namespaces: list[str]
    since: Instant
    until: Instant
    as_of: Instant
    include_invalidated: bool
    token_budget: int
    include_trace: bool
    mode: Mode
    rerank: str
    history: Sequence[Mapping[str, str]]
    expand: bool
    hyde: bool


class SettingsChange(TypedDict, total=False):
    """Sections of a tenant's settings to change: in each, what is absent stays and None is the default again."""

    recall: Mapping[str, Any] | None
    dates: Mapping[str, Any] | None
    llm: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What answers have in common."""

    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class Outcome:
    """What became of one item: `stored`, `duplicate`, `updated` or `failed` (with a `reason`)."""

    id: str | None
    status: str
    item: int
    """The item's place in what was sent; an item sent with `chunk` has several outcomes."""
    offset: int = 0
    searchable: bool = True
    """False: it is stored, found by its words, and by meaning once a worker has embedded it."""
    reason: str | None = None


@dataclass(frozen=True)
class Written(Answer):
    """What became of a write; an `updated` item counts under `duplicates` too."""

    results: tuple[Outcome, ...]
    stored: int
    duplicates: int
    failed: int
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> list[str]:
        """The ids of what is stored now, in order."""
        return [result.id for result in self.results if result.id is not None]


@dataclass(frozen=True)
class Accepted(Answer):
    """A write too large to be done at once: the id of its job."""

    job: str
    state: str
    total: int


@dataclass(frozen=True)
class Job(Answer):
    """A large write and how far it is: `queued`, `running`, `succeeded` or `failed`."""

    id: str
    kind: str
    state: str
    total: int
    done: int
    created_at: datetime
    finished_at: datetime | None = None
    result: Mapping[str, Any] | None = None
    error: str | None = None

    @property
    def finished(self) -> bool:
        """Whether it has ended, well or not."""
        return self.state in ("succeeded", "failed")

    @property
    def written(self) -> Written | None:
        """The outcomes so far, of a job that stores items."""
        return decode(Written, self.result) if self.kind == "remember" and self.result else None


@dataclass(frozen=True)
class JobPage:
    """Jobs, newest first."""

    items: tuple[Job, ...]
    next: str | None = None


@dataclass(frozen=True)
class Learned(Answer):
    """What a feedback taught: for queries of which shape (`query_type`), and about how many retrievers."""

    hit_id: str
    signal: str
    reward: float
    query_type: str
    ior_recorded: bool = False
    q_learning_updates: int = 0


@dataclass(frozen=True)
class Memory(Answer):
    """A memory as it is believed now, or as it last was if it was retracted."""

    id: str
    version: str
    text: str
    source: str
    offset: int
    namespace: str
    metadata: Mapping[str, Any]
    tags: tuple[str, ...]
    known_from: datetime
    kind: str | None = None
    tier: str = "chunk"
    key: str | None = None
    timestamp: datetime | None = None
    agent: str | None = None
    subject: str | None = None
    confidence: float | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    known_to: datetime | None = None
    invalidated_at: datetime | None = None
    expires_at: datetime | None = None
    indexed_at: datetime | None = None
    written_by: str = ""
    language: str = ""


@dataclass(frozen=True)
class Listed:
    """A memory in the list of its source: no text."""

    id: str
    content_hash: str | None = None
    timestamp: datetime | None = None
    indexed_at: datetime | None = None


@dataclass(frozen=True)
class ListPage:
    """Memories of a source in order of id; `complete` False: there are more."""

    items: tuple[Listed, ...]
    complete: bool


@dataclass(frozen=True)
class Hit(Answer):
    """One result of a recall. `score` orders the results of one answer and means nothing between two."""

    id: str
    text: str
    score: float
    source: str | None
    retrievers: tuple[str, ...]
    metadata: Mapping[str, Any]
    explanation: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Recalled(Answer):
    """Results, best first. `degraded` names what fell back, `notes` what did not apply."""

    query: str
    results: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trace: Mapping[str, Any] | None = None
    tokens_estimate: int = 0


@dataclass(frozen=True)
class Retraction:
    """One answer to a retraction; `complete` False: the source holds more."""

    requested: int
    invalidated: int
    complete: bool = True


@dataclass(frozen=True)
class Erasure:
    """One answer to an erasure; `complete` False: the source holds more."""

    requested: int
    deleted: int
    complete: bool = True


@dataclass(frozen=True)
class ToolList:
    """Declarations of tools for a model provider's API."""

    tools: list[Mapping[str, Any]]


@dataclass(frozen=True)
class TenantStatus:
    """How the tenant stands; all None for a narrowed key."""

    memories: int | None = None
    memories_limit: float | None = None
    index_pending: int | None = None
    index_lag_seconds: float | None = None


@dataclass(frozen=True)
class Status(Answer):
    """The server and the tenant."""

    version: str
    embedding: str
    tenant: TenantStatus


@dataclass(frozen=True)
class Settings(Answer):
    """What is in force for the tenant, section by section; `chosen` names what it has set itself. `llm` has no key:
    `api_key_set` and `api_key_last4` say whether there is one, and which."""

    version: int
    recall: Mapping[str, Any]
    dates: Mapping[str, Any]
    llm: Mapping[str, Any]
    chosen: tuple[str, ...]
    changed_at: datetime | None = None


@dataclass(frozen=True)
class Health(Answer):
    """Whether the parts answer: `ok` or `degraded`."""

    status: str
    version: str
