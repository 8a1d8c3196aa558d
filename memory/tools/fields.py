"""What several tools' arguments share."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from loci.ground.instants import parse_instant
from memory.engine.clauses import Clause, of_filters, of_list, together
from memory.engine.filters import Equals, Filter, Range
from memory.engine.types import View
from memory.shapes.requests import KINDS, Filters, Namespace, Tags, with_offset
from memory.tools.schemas import Arguments

DEFAULT_BUDGET = 4000
"""Tokens, by estimate, that recalled texts may take unless the caller says otherwise."""
IDS = 256


Instant = Annotated[
    str,
    Field(max_length=64),
    AfterValidator(with_offset),
    WithJsonSchema({"type": "string", "description": "ISO 8601 with an offset; a bare date is midnight UTC."}),
]
"""A moment; a date-time without an offset is a fault."""


def moment(text: str | None) -> datetime | None:
    """The moment of an `Instant`."""
    return None if text is None else parse_instant(text, naive_is_utc=False)


def _uuid(value: Any) -> Any:
    try:
        return UUID(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError("must be the id of a memory (a UUID), as memory_search gives it") from None


Id = Annotated[UUID, BeforeValidator(_uuid), WithJsonSchema({"type": "string", "format": "uuid"})]
Kind = Literal[KINDS]  # type: ignore[valid-type]
Budget = Annotated[int, Field(ge=1, le=100_000)]


class Narrowing(Arguments):
    """Which memories to look among, and from when."""

    namespaces: list[Namespace] | None = Field(None, max_length=64, description="Only within these namespaces.")
    filters: Annotated[Filters, WithJsonSchema({"type": "object", "additionalProperties": True})] = Field(
        None,
        description="Conditions on fields or metadata, such as"
        ' {"source": {"prefix": "chat-"}, "metadata.amount": {"gte": 100}, "not": {"kind": "todo"}}.',
    )
    tags: Tags | None = Field(None, description="Only memories with at least one of these tags.")
    kinds: list[Kind] | None = Field(None, max_length=12, description="Only memories of these kinds.")
    agent: str | None = Field(None, min_length=1, max_length=128, description="Only what this agent wrote.")
    since: Instant | None = Field(None, description="Only what happened at or after this moment (ISO 8601).")
    until: Instant | None = Field(None, description="Only what happened before this moment (ISO 8601).")
    valid_at: Instant | None = Field(None, description="What held in the world then, instead of now (ISO 8601).")
    known_at: Instant | None = Field(None, description="What was believed then, instead of now (ISO 8601).")

    @model_validator(mode="after")
    def in_order(self) -> "Narrowing":
        """An empty span is a mistake."""
        start, end = moment(self.since), moment(self.until)
        if start and end and not start < end:
            raise ValueError("since must come before until")
        return self

    @property
    def filter(self) -> Filter | None:
        """All conditions as one filter."""
        return together(self.clauses)

    @property
    def clauses(self) -> list[Clause]:
        """All conditions, each under the name of its argument."""
        start, end = moment(self.since), moment(self.until)
        return [
            *of_filters(self.filters),
            *of_list("namespaces", "namespace", self.namespaces),
            *of_list("tags", "tags", self.tags),
            *of_list("kinds", "kind", self.kinds),
            *([Clause("agent", Equals("agent", self.agent))] if self.agent is not None else []),
            *([Clause("since", Range("timestamp", gte=start))] if start else []),
            *([Clause("until", Range("timestamp", lt=end))] if end else []),
        ]

    def view(self, *, include_invalidated: bool = False) -> View:
        """The time from which to look."""
        return View(
            valid_at=moment(self.valid_at), known_at=moment(self.known_at), include_invalidated=include_invalidated
        )


class Chosen(Arguments):
    """Exactly one of ids and source."""

    ids: list[Id] | None = Field(None, min_length=1, max_length=IDS, description="The memories' ids.")
    source: str | None = Field(None, min_length=1, max_length=1024, description="All memories of this source.")

    @model_validator(mode="after")
    def one_of(self) -> "Chosen":
        """One way to name the memories."""
        if (self.ids is None) == (self.source is None):
            raise ValueError("give exactly one of ids and source")
        return self
