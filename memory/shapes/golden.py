"""Golden questions and their runs: what comes in and what goes out."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from loci.ground.instants import to_text
from memory.services.evaluate import Change, Compared, Plan, best
from memory.services.golden import Golden, GoldenQuestion
from memory.shapes.ranking import Mode, Ranking
from memory.shapes.requests import Filters, MemoryId, Namespace
from memory.shapes.strict import Strict

NAMED = 50
"""Questions that got worse, and as many that got better, which an answer names."""


class GoldenItem(Strict):
    """A question, and the memories that it should find."""

    question: str = Field(min_length=1, max_length=32_768)
    expect: list[MemoryId] = Field(min_length=1, max_length=20)
    filters: Filters = None
    namespaces: list[Namespace] | None = Field(None, max_length=64)

    def golden(self) -> Golden:
        """The same for the service."""
        return Golden(self.question, list(dict.fromkeys(self.expect)), self.filters, self.namespaces)


class GoldenRequest(Strict):
    """Questions to add."""

    questions: list[GoldenItem] = Field(min_length=1, max_length=200)


class GoldenRemoval(Strict):
    """Questions to remove."""

    ids: list[MemoryId] = Field(min_length=1, max_length=200)


class GoldenQuery(Strict):
    """Paging, newest first."""

    limit: int = Field(50, ge=1, le=200)
    before: MemoryId | None = None


class RunsQuery(Strict):
    """Paging, newest first."""

    limit: int = Field(20, ge=1, le=100)
    before: MemoryId | None = None


class RunRequest(Ranking):
    """How to ask the questions otherwise than the tenant has set."""

    mode: Mode = "hybrid"

    def plan(self) -> Plan:
        """The same for the service."""
        return Plan(self.overrides, self.mode)


class GoldenQuestionResponse(BaseModel):
    """A question; `missing` of the memories that it expected are gone."""

    id: str
    question: str
    filters: Any
    namespaces: list[str] | None
    expected: list[str]
    missing: int
    created_by: str
    created_at: str


class GoldenPage(BaseModel):
    """Questions, newest first; `next` is the `before` of the next page."""

    items: list[GoldenQuestionResponse]
    next: str | None


class GoldenOutcome(BaseModel):
    """What became of one question; `extended`: it was there and expects more now."""

    id: str
    status: Literal["added", "extended", "unchanged"]


class GoldenAdded(BaseModel):
    """What became of each question, in order."""

    results: list[GoldenOutcome]
    added: int
    extended: int


class GoldenRemoved(BaseModel):
    """How many there were."""

    requested: int
    deleted: int


class ChangeResponse(BaseModel):
    """A question whose best rank differs; null: not among the first 50. `question` is null when it was removed."""

    id: str
    question: str | None
    before: int | None
    now: int | None


class RunResponse(BaseModel):
    """A run. `settings` is a digest of what ranks; `worse` and `better` compare with the run before."""

    id: str
    at: str
    questions: int
    settings: str
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    mrr: float
    worse: list[ChangeResponse]
    better: list[ChangeResponse]


class RankedRunResponse(RunResponse):
    """A run with the best rank of each question, by id; null: not among the first 50."""

    ranks: dict[str, Annotated[int, Field(ge=1)] | None]


class RunList(BaseModel):
    """Runs, newest first; `next` is the `before` of the next page."""

    items: list[RunResponse]
    next: str | None


def question_json(one: GoldenQuestion) -> dict[str, Any]:
    """A question as REST shows it."""
    return {
        "id": str(one.id),
        "question": one.question,
        "filters": one.filters,
        "namespaces": one.namespaces,
        "expected": [str(memory) for memory in one.expected],
        "missing": one.missing,
        "created_by": one.created_by,
        "created_at": to_text(one.created_at),
    }


def run_json(compared: Compared, *, ranks: bool = False) -> dict[str, Any]:
    """A run as REST shows it."""
    run = compared.run
    document = {
        "id": str(run.id),
        "at": to_text(run.at),
        "questions": run.questions,
        "settings": run.settings,
        "recall_at_1": round(run.recall_1, 4),
        "recall_at_5": round(run.recall_5, 4),
        "recall_at_10": round(run.recall_10, 4),
        "mrr": round(run.mrr, 4),
        "worse": [_change(each) for each in compared.worse[:NAMED]],
        "better": [_change(each) for each in compared.better[:NAMED]],
    }
    return document | ({"ranks": {each: best(found) for each, found in run.ranks.items()}} if ranks else {})


def _change(each: Change) -> dict[str, Any]:
    return {"id": str(each.id), "question": each.question, "before": each.before, "now": each.now}
