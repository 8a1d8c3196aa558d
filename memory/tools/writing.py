"""`memory_remember` and `memory_update`: what an agent stores and corrects."""

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, model_validator

from memory.services.correct import correct
from memory.services.jobs import submit_remember
from memory.services.prepare import check_metadata_keys
from memory.services.remember import remember
from memory.services.store import store
from memory.shapes import render
from memory.shapes.answers import MemoryResponse, WriteResult
from memory.shapes.items import items_of
from memory.shapes.requests import Metadata, Namespace, Tags, WriteItem, WriteRequest
from memory.tools import markdown
from memory.tools.fields import Id, Instant, Kind
from memory.tools.reading import memory_read
from memory.tools.registry import Tool
from memory.tools.schemas import Arguments, Result
from tenants.scope import Right, Scope

OpenObject = WithJsonSchema({"type": "object", "additionalProperties": True})
TURNS = 500


class Item(Arguments):
    """One thing to remember, where several are stored at once."""

    text: str = Field(min_length=1, max_length=262_144, description="What to remember, complete in itself.")
    source: str | None = Field(None, max_length=1024, description="Where it is from, such as chat-2026-11-30.")
    event_at: Instant | None = Field(None, description="When it happened (ISO 8601).")
    tags: Tags | None = None
    metadata: Annotated[Metadata, OpenObject] | None = None
    kind: Kind | None = None
    subject: str | None = Field(None, min_length=1, max_length=256, description="The person it is about.")
    namespace: Namespace | None = None


class Turn(Arguments):
    """What was said in one turn of a conversation."""

    role: str = Field(min_length=1, max_length=128, description="Who spoke: user, assistant or a name.")
    content: str = Field(min_length=1, max_length=32_000)
    at: Instant | None = Field(None, description="When (ISO 8601).")


class RememberArguments(Arguments):
    """Exactly one of text, items and turns; the rest holds for all of them."""

    text: str | None = Field(
        None, min_length=1, max_length=262_144, description="What to remember: one fact, complete in itself."
    )
    items: list[Item] | None = Field(None, min_length=1, max_length=1000, description="Several things at once.")
    turns: list[Turn] | None = Field(
        None, min_length=1, max_length=TURNS, description="A conversation, word for word; needs a source."
    )
    source: str | None = Field(None, max_length=1024, description="Where it is from, such as chat-2026-11-30.")
    event_at: Instant | None = Field(None, description="When it happened (ISO 8601).")
    tags: Tags | None = Field(None, description="Words to find it by.")
    metadata: Annotated[Metadata, OpenObject] | None = Field(None, description="Further facts to filter by.")
    kind: Kind | None = Field(None, description="What sort of thing it is.")
    subject: str | None = Field(None, min_length=1, max_length=256, description="The person it is about.")
    namespace: Namespace | None = Field(None, description="The namespace to store it in; left out: the key's own.")
    chunk: bool = Field(False, description="Cut a long text into windows; needs a source.")
    wait: bool = Field(True, description="Answer only when search can find it.")

    @model_validator(mode="after")
    def one_of(self) -> "RememberArguments":
        """One thing to remember, and a conversation has a name."""
        if sum(given is not None for given in (self.text, self.items, self.turns)) != 1:
            raise ValueError("give exactly one of text, items and turns")
        if self.turns and not self.source:
            raise ValueError("turns need a source: a name for the conversation, such as chat-2026-11-30")
        return self

    def _shared(self) -> dict[str, Any]:
        """What holds for every item that does not say otherwise."""
        shared = self.model_dump(include={"source", "tags", "metadata", "kind", "subject", "namespace"})
        return {name: value for name, value in shared.items() if value is not None} | {
            "timestamp": self.event_at,
            "chunk": self.chunk,
        }

    def request(self) -> WriteRequest:
        """The same as REST's request."""
        return WriteRequest(items=[WriteItem(**fields) for fields in self._items()])

    def _items(self) -> list[dict[str, Any]]:
        shared = self._shared()
        if self.text is not None:
            return [{**shared, "text": self.text}]
        if self.turns is not None:
            return [
                {
                    **shared,
                    "text": f"{turn.role}: {turn.content}",
                    "offset": at,
                    "timestamp": turn.at or self.event_at,
                }
                for at, turn in enumerate(self.turns)
            ]
        items = []
        for item in self.items or ():
            own = {name: value for name, value in item.model_dump().items() if value is not None}
            if "event_at" in own:
                own["timestamp"] = own.pop("event_at")
            items.append({**shared, **own})
        return items


class RememberResult(Result):
    """What became of each item; for more than 64 the job that stores them."""

    results: list[WriteResult]
    stored: int
    duplicates: int
    failed: int
    notes: list[str]
    job: str | None = Field(None, description="Set when the items are stored in the background: see memory_job.")


class UpdateArguments(Arguments):
    """What to change; the rest stays."""

    id: Id = Field(description="The memory's id.")
    text: str | None = Field(None, min_length=1, max_length=262_144, description="The corrected text.")
    metadata: Annotated[Metadata, OpenObject] | None = Field(None, description="Merged; a null removes its key.")
    tags: Tags | None = Field(None, description="All tags it is to have.")
    expected_version: Id | None = Field(None, description="Change it only if this is still its version.")

    @model_validator(mode="after")
    def says_something(self) -> "UpdateArguments":
        """At least one change."""
        if self.text is None and self.metadata is None and self.tags is None:
            raise ValueError("give at least one of text, metadata and tags")
        return self


class UpdateResult(Result):
    """The memory as it is now."""

    version: str
    outcome: Literal["updated"]
    memory: MemoryResponse


def run_remember(scope: Scope, given: RememberArguments) -> RememberResult:
    """Store it; many items become a job."""
    _, answer = render.written(store(scope, items=items_of(given.request()), wait=None if given.wait else 0))
    if "job" in answer:
        return RememberResult(results=[], stored=0, duplicates=0, failed=0, notes=["queued"], job=str(answer["job"]))
    return RememberResult.model_validate(answer)


def run_update(scope: Scope, given: UpdateArguments) -> UpdateResult:
    """Correct it: a new version."""
    if given.metadata:
        check_metadata_keys(None, given.metadata)
    record = correct(
        scope,
        given.id,
        text=given.text,
        metadata=given.metadata,
        tags=given.tags,
        expected_version=given.expected_version,
    )
    return UpdateResult(version=str(record.version), outcome="updated", memory=memory_read(record))


def _read_remembered(result: RememberResult) -> str:
    if result.job:
        return f"Being stored in the background as job {result.job}: ask memory_job for its progress."
    lines = [f"{result.stored} stored, {result.duplicates} known already, {result.failed} failed."]
    for outcome in result.results:
        reason = f": {markdown.inline(outcome.reason)}" if outcome.reason else ""
        lines.append(f"- {outcome.status} {outcome.id or ''}{reason}".rstrip())
    return "\n".join([*lines, *markdown.footnotes([], result.notes)])


def _read_updated(result: UpdateResult) -> str:
    return f"Updated {result.memory.id}; its version is now {result.version}."


REMEMBER = Tool(
    name="memory_remember",
    title="Remember",
    description=(
        "Store something worth knowing later, such as a preference, a decision or a fact, each complete in itself,"
        " with names instead of pronouns and dates instead of 'today'. Give `text` for one thing, `items` for several,"
        " or `turns` for a conversation word for word. The same text sent twice is stored once. Never store passwords"
        " or keys."
    ),
    arguments=RememberArguments,
    result=RememberResult,
    right=Right.WRITE,
    run=run_remember,
    markdown=_read_remembered,
    services=(store, remember, submit_remember),
    idempotent=True,
)
UPDATE = Tool(
    name="memory_update",
    title="Correct a memory",
    description=("Correct the text, metadata or tags of a memory by its id. What it said before stays in its history."),
    arguments=UpdateArguments,
    result=UpdateResult,
    right=Right.WRITE,
    run=run_update,
    markdown=_read_updated,
    services=(correct,),
    idempotent=True,
)
