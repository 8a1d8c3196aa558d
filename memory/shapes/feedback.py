"""The shape of feedback, as the seed has it."""

from typing import Literal

from pydantic import Field

from memory.shapes.ranking import Arm
from memory.shapes.strict import Strict


class FeedbackRequest(Strict):
    """What somebody thought of a result."""

    hit_id: str = Field(min_length=1, max_length=256)
    signal: Literal["useful", "clicked", "irrelevant"]
    query: str | None = Field(None, max_length=32_768, description="What was asked.")
    query_type: str | None = Field(
        None, max_length=64, description="exact_token, person, temporal or general; otherwise the query itself tells."
    )
    source: Arm | None = Field(None, description="A retriever that found it.")
    sources: list[Arm] | None = Field(None, max_length=16, description="The retrievers that found it.")
    reward: float | None = Field(None, ge=0, le=1, description="Instead of the signal's own: 1, 0.6 or 0.")

    @property
    def arms(self) -> list[str]:
        """All retrievers named."""
        return [*(self.sources or ()), *([self.source] if self.source else ())]
