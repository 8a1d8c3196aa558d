"""`memory_forget` hides, `memory_erase` deletes."""

from pydantic import Field, model_validator

from memory.services.forget import erase, invalidate
from memory.tools import markdown
from memory.tools.fields import Chosen, Instant, moment
from memory.tools.registry import Tool
from memory.tools.schemas import Result
from tenants.scope import Right, Scope


class ForgetArguments(Chosen):
    """What to hide."""

    valid_until: Instant | None = Field(None, description="Until when it was true, where that is known (ISO 8601).")


class ForgetResult(Result):
    """`complete` false: the source holds more, call again."""

    requested: int
    invalidated: int
    complete: bool


class EraseArguments(Chosen):
    """What to delete for good."""

    confirm: bool = Field(False, description="Must be true: what is erased cannot be brought back.")

    @model_validator(mode="after")
    def confirmed(self) -> "EraseArguments":
        """Not by accident."""
        if not self.confirm:
            raise ValueError(
                "erasing cannot be undone: pass confirm = true if that is meant; memory_forget hides instead"
            )
        return self


class EraseResult(Result):
    """`complete` false: the source holds more, call again."""

    requested: int
    deleted: int
    complete: bool


def run_forget(scope: Scope, given: ForgetArguments) -> ForgetResult:
    """Hide it."""
    done = invalidate(scope, ids=given.ids, source=given.source, valid_until=moment(given.valid_until))
    return ForgetResult(requested=done.requested, invalidated=done.changed, complete=done.complete)


def run_erase(scope: Scope, given: EraseArguments) -> EraseResult:
    """Delete it."""
    done = erase(scope, ids=given.ids, source=given.source)
    return EraseResult(requested=done.requested, deleted=done.changed, complete=done.complete)


def _told(changed: int, requested: int, verb: str, *, complete: bool) -> str:
    text = f"{markdown.counted(changed, 'memory', 'memories')} of {requested} {verb}."
    return text if complete else f"{text} The source holds more: call again."


FORGET = Tool(
    name="memory_forget",
    title="Forget",
    description=(
        "Hide memories that no longer hold, by ids or by source: search no longer finds them, their history stays, and"
        " storing the same text again brings them back. Use it when something turned out wrong or outdated."
    ),
    arguments=ForgetArguments,
    result=ForgetResult,
    right=Right.WRITE,
    run=run_forget,
    markdown=lambda result: _told(result.invalidated, result.requested, "no longer recalled", complete=result.complete),
    services=(invalidate,),
    destructive=True,
    idempotent=True,
)
ERASE = Tool(
    name="memory_erase",
    title="Erase",
    description=(
        "Delete memories for good, by ids or by source, with all their versions. Only when somebody asked for deletion;"
        " otherwise use memory_forget."
    ),
    arguments=EraseArguments,
    result=EraseResult,
    right=Right.WRITE,
    run=run_erase,
    markdown=lambda result: _told(result.deleted, result.requested, "erased", complete=result.complete),
    services=(erase,),
    destructive=True,
    idempotent=True,
)
