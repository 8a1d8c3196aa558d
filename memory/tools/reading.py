"""`memory_get`, `memory_list`, `memory_job` and `memory_stats`."""

from typing import Any
from uuid import UUID

from pydantic import Field

from loci.ground.errors import Fault, InvalidRequest
from loci.ground.instants import to_text
from memory.engine.filters import And, AnyOf, Equals, Filter
from memory.engine.types import Record
from memory.services.browse import browse, place_of, token
from memory.services.jobs import get_job, list_jobs
from memory.services.lookup import get_memory, list_memories
from memory.services.status import embedder_label, tenant_status
from memory.services.survey import shares
from memory.shapes import render
from memory.shapes.answers import JobResponse, MemoryResponse, TenantStatus
from memory.tools import markdown
from memory.tools.fields import Id, Kind
from memory.tools.registry import Tool
from memory.tools.schemas import Arguments, Result
from tenants.scope import Right, Scope

RECENT_JOBS = 5


class GetArguments(Arguments):
    """Which memory."""

    id: Id = Field(description="The memory's id, as memory_search gives it.")


class GetResult(Result):
    """A memory with everything about it."""

    memory: MemoryResponse


class ListArguments(Arguments):
    """Which memories, a page at a time."""

    source: str | None = Field(None, min_length=1, max_length=1024, description="Only of this source.")
    tags: list[str] | None = Field(None, max_length=32, description="Only with at least one of these tags.")
    agent: str | None = Field(None, min_length=1, max_length=128, description="Only what this agent wrote.")
    kind: Kind | None = Field(None, description="Only of this kind.")
    namespace: str | None = Field(None, min_length=1, max_length=128, description="Only in this namespace.")
    cursor: str | None = Field(None, min_length=1, max_length=128, description="`next` of the page before.")
    limit: int = Field(50, ge=1, le=200, description="How many at most.")

    @property
    def filter(self) -> Filter | None:
        """All conditions but the source as one filter."""
        parts: list[Filter] = [
            Equals(field, value)
            for field, value in (("agent", self.agent), ("kind", self.kind), ("namespace", self.namespace))
            if value is not None
        ]
        if self.tags is not None:
            parts.append(AnyOf("tags", tuple(self.tags)))
        if len(parts) < 2:
            return parts[0] if parts else None
        return And(tuple(parts))


class ListedMemory(Result):
    """What is known of a memory beside its text."""

    id: str
    source: str | None
    offset: int
    namespace: str
    timestamp: str | None
    kind: str | None
    tags: list[str]
    agent: str | None
    subject: str | None
    metadata: dict[str, Any]


class ListResult(Result):
    """A page, the newest first; those of one source in the order of their ids. `next` is None at the end."""

    items: list[ListedMemory]
    next: str | None


class JobArguments(Arguments):
    """Which job."""

    id: Id = Field(description="The job's id, as memory_remember gave it.")


class JobResult(Result):
    """A job and how far it is."""

    job: JobResponse


class NoArguments(Arguments):
    """None."""


class Shares(Result):
    """How the newest memories divide; `whole` when `counted` is all there are. The kind "" is none."""

    counted: int
    whole: bool
    tiers: dict[str, int]
    kinds: dict[str, int]
    namespaces: dict[str, int]


class StatsResult(Result):
    """How the tenant stands; its counts are null for a key that sees only part of it."""

    tenant: TenantStatus
    shares: Shares
    embedding: str
    jobs: list[JobResponse] = Field(description="The newest jobs.")


def memory_read(record: Record) -> MemoryResponse:
    """A record as REST shows it."""
    return MemoryResponse.model_validate(render.memory(record))


def _job(row: Any, *, with_result: bool) -> JobResponse:
    told = render.job(row, with_result=with_result)
    return JobResponse.model_validate(
        {**told, "created_at": to_text(told["created_at"]), "finished_at": to_text(told["finished_at"])}
    )


def run_get(scope: Scope, given: GetArguments) -> GetResult:
    """One memory."""
    return GetResult(memory=memory_read(get_memory(scope, given.id)))


def run_list(scope: Scope, given: ListArguments) -> ListResult:
    """A page of memories."""
    records, following = _of_source(scope, given) if given.source is not None else _newest(scope, given)
    fields = [name for name in ListedMemory.model_fields if name not in ("id", "source")]
    items = [
        ListedMemory(
            id=str(record.id),
            source=record.payload["source"] or None,
            **{name: record.payload[name] for name in fields},
        )
        for record in records
    ]
    return ListResult(items=items, next=following)


def _of_source(scope: Scope, given: ListArguments) -> tuple[list[Record], str | None]:
    try:
        after = None if given.cursor is None else UUID(given.cursor)
    except ValueError:
        raise _no_cursor() from None
    page = list_memories(scope, source=given.source, after=after, limit=given.limit, filters=given.filter)
    return page.records, None if page.complete else str(page.records[-1].id)


def _newest(scope: Scope, given: ListArguments) -> tuple[list[Record], str | None]:
    after = None if given.cursor is None else place_of(given.cursor)
    if given.cursor is not None and after is None:
        raise _no_cursor()
    leaf = browse(scope, after=after, limit=given.limit, filters=given.filter)
    return leaf.records, None if leaf.after is None else token(leaf.after)


def _no_cursor() -> InvalidRequest:
    return InvalidRequest([Fault(("arguments", "cursor"), "is no cursor: pass `next` of the page before")])


def run_job(scope: Scope, given: JobArguments) -> JobResult:
    """How far a job is."""
    return JobResult(job=_job(get_job(scope, given.id), with_result=True))


def run_stats(scope: Scope, given: NoArguments) -> StatsResult:
    """Counts, limit, index lag, jobs."""
    jobs = list_jobs(scope, limit=RECENT_JOBS).jobs
    newest = shares(scope)
    return StatsResult(
        shares=Shares(
            counted=newest.counted,
            whole=newest.whole,
            tiers=dict(newest.tiers),
            kinds={kind or "": number for kind, number in newest.kinds.items()},
            namespaces=dict(newest.namespaces),
        ),
        tenant=TenantStatus.model_validate(tenant_status(scope)),
        embedding=embedder_label(),
        jobs=[_job(job, with_result=False) for job in jobs],
    )


def _read_memory(result: GetResult) -> str:
    return f"{markdown.DATA}\n\n{markdown.item(1, result.memory.model_dump())}"


def _read_list(result: ListResult) -> str:
    if not result.items:
        return "There are none."
    lines = [markdown.item(at, item.model_dump()) for at, item in enumerate(result.items, 1)]
    if result.next:
        lines.append(f"There are more: ask again with cursor {result.next}.")
    return "\n".join(lines)


def _read_job(result: JobResult) -> str:
    job = result.job
    failed = f" It failed: {markdown.inline(job.error)}." if job.error else ""
    return f"Job {job.id} is {job.state}: {job.done} of {job.total} items done.{failed}"


def _read_stats(result: StatsResult) -> str:
    tenant = result.tenant
    known = markdown.facts(
        (
            ("memories", tenant.memories),
            ("limit", tenant.memories_limit),
            ("waiting for the index", tenant.index_pending),
            ("embedding", result.embedding),
            ("kinds", ", ".join(f"{number} {kind or 'of none'}" for kind, number in result.shares.kinds.items())),
            ("jobs", ", ".join(f"{job.state} {job.done}/{job.total}" for job in result.jobs)),
        )
    )
    return known or "This key sees only part of the tenant."


GET = Tool(
    name="memory_get",
    title="Get a memory",
    description="Read one memory in full by its id: text, metadata, source, when it happened and since when it holds.",
    arguments=GetArguments,
    result=GetResult,
    right=Right.READ,
    run=run_get,
    markdown=_read_memory,
    services=(get_memory,),
    read_only=True,
    idempotent=True,
)
LIST = Tool(
    name="memory_list",
    title="List memories",
    description=(
        "List memories without their texts, a page at a time, the newest first; only those of a source, agent or kind,"
        " in a namespace or with tags if wanted."
    ),
    arguments=ListArguments,
    result=ListResult,
    right=Right.READ,
    run=run_list,
    markdown=_read_list,
    services=(list_memories, browse),
    read_only=True,
    idempotent=True,
)
JOB = Tool(
    name="memory_job",
    title="Progress of a job",
    description="See how far a background job is, such as one that memory_remember began, and its items' outcomes.",
    arguments=JobArguments,
    result=JobResult,
    right=Right.READ,
    run=run_job,
    markdown=_read_job,
    services=(get_job,),
    read_only=True,
    idempotent=True,
)
STATS = Tool(
    name="memory_stats",
    title="State of the memory",
    description="See how many memories there are, how many are allowed, how far the index is behind, and recent jobs.",
    arguments=NoArguments,
    result=StatsResult,
    right=Right.READ,
    run=run_stats,
    markdown=_read_stats,
    services=(tenant_status, list_jobs, embedder_label, shares),
    read_only=True,
    idempotent=True,
)
