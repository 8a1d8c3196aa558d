"""`memory_why`: why a memory did or did not come."""

from pydantic import Field

from memory.services.why import why
from memory.shapes import render
from memory.shapes.answers import WhyResponse
from memory.tools.fields import Id
from memory.tools.registry import Tool
from memory.tools.schemas import Result
from memory.tools.search import SearchArguments, asked
from tenants.scope import Right, Scope

SAID = {
    "returned": "It is among the results, at place {rank}.",
    "over_token_budget": "It is at place {rank}, but the token budget ends before it: raise token_budget.",
    "below_limit": "It was found, but at place {rank}, below the results: raise limit or ask more precisely.",
    "below_cut": "No retriever had it among its best: ask in words that stand in it, or more precisely.",
    "filtered": "The search itself keeps it out, by: {filtered_by}.",
    "other_time": "It is not in view at this time: {times}.",
}


class WhyArguments(SearchArguments):
    """The search, and the memory that is asked about."""

    memory_id: Id = Field(description="The memory that did or did not come.")


class WhyResult(Result, WhyResponse):
    """What became of the memory, and what each retriever makes of it."""


def explain(scope: Scope, given: WhyArguments) -> WhyResult:
    """Why the memory did or did not come."""
    found = why(scope, memory=given.memory_id, clauses=given.clauses, token_budget=given.token_budget, **asked(given))
    return WhyResult.model_validate(render.why(found))


def _read(result: WhyResult) -> str:
    told = result.model_dump()
    said = SAID[result.verdict].format(
        rank=result.rank, filtered_by=", ".join(result.filtered_by), times=", ".join(result.times)
    )
    lines = [said]
    for name, arm in told["retrievers"].items():
        place = f"rank {arm['rank']}" if arm["rank"] else "not among its first 1,000"
        margin = "" if arm["margin"] is None else f", {arm['margin']:.3f} below the last of the {arm['taken']} taken"
        lines.append(f"- {name}: {place}{margin}")
    if not result.indexed:
        lines.append("Its vector is not there yet, so that only its words can find it.")
    return "\n".join(lines)


WHY = Tool(
    name="memory_why",
    title="Why a memory came or not",
    description=(
        "Explain why a memory did or did not come up in a search: hidden by a filter or by time, not indexed yet, or"
        " ranked too low, and by how much. Give the search's own arguments and the memory's id."
    ),
    arguments=WhyArguments,
    result=WhyResult,
    right=Right.READ,
    run=explain,
    markdown=_read,
    services=(why,),
    read_only=True,
    idempotent=True,
)
