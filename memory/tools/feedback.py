"""`memory_feedback`: what an agent thought of a hit."""

from dataclasses import asdict
from typing import Literal

from pydantic import Field

from memory.services.learning import give_feedback
from memory.shapes.ranking import Arm
from memory.tools.registry import Tool
from memory.tools.schemas import Arguments, Result
from tenants.scope import Right, Scope

Signal = Literal["useful", "clicked", "irrelevant"]


class FeedbackArguments(Arguments):
    """Which hit, and what it was worth."""

    hit_id: str = Field(min_length=1, max_length=256, description="The memory's id, as memory_search gives it.")
    signal: Signal = Field(description="useful: it helped; irrelevant: it did not; clicked: it was looked at.")
    query: str | None = Field(None, max_length=32_768, description="What was asked when it was found.")
    sources: list[Arm] | None = Field(
        None, max_length=16, description="The retrievers that found it, as the hit names them."
    )
    reward: float | None = Field(
        None, ge=0, le=1, description="How much it helped, from 0 to 1; the signal's if not given."
    )


class SeedFeedbackArguments(FeedbackArguments):
    """As the seed has them."""

    query_type: str | None = Field(None, max_length=64)
    source: Arm | None = None


class FeedbackResult(Result):
    """What was learned: for queries of which shape, about how many retrievers."""

    ok: bool = True
    hit_id: str
    signal: Signal
    reward: float
    query_type: str
    ior_recorded: bool
    q_learning_updates: int


def run_feedback(scope: Scope, given: FeedbackArguments) -> FeedbackResult:
    """Learn from it."""
    seed = given if isinstance(given, SeedFeedbackArguments) else None
    learned, _ = give_feedback(
        scope,
        hit=given.hit_id,
        signal=given.signal,
        query=given.query,
        query_type=seed.query_type if seed else None,
        arms=[*(given.sources or ()), *([seed.source] if seed and seed.source else ())],
        reward=given.reward,
    )
    return FeedbackResult(**asdict(learned))


def _read(result: FeedbackResult) -> str:
    if not result.q_learning_updates:
        return f"Noted: {result.signal}. Name the sources of the hit next time, so that more can be learned from it."
    return f"Noted: {result.signal}, for questions of the kind {result.query_type}."


FEEDBACK = Tool(
    name="memory_feedback",
    title="Say whether a memory helped",
    description=(
        "Say whether a memory that a search found was useful or irrelevant. Give the query and the hit's retrievers as"
        " sources: where the tenant has switched it on, later searches rank by what was learned. Never required."
    ),
    arguments=FeedbackArguments,
    result=FeedbackResult,
    right=Right.WRITE,
    run=run_feedback,
    markdown=_read,
    services=(give_feedback,),
    idempotent=True,
)
SEED_FEEDBACK = Tool(
    name="mnemostack_feedback",
    title="Feedback",
    description="Say whether a result was useful, irrelevant or clicked.",
    arguments=SeedFeedbackArguments,
    result=FeedbackResult,
    right=Right.WRITE,
    run=run_feedback,
    markdown=_read,
    services=(give_feedback,),
    idempotent=True,
    seed=True,
)
