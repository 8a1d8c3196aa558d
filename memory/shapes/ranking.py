"""How one recall is to rank, field by field."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from memory.engine.stages import STAGES
from memory.engine.tuning import ARMS, FUSIONS, MODES, MOST_WEIGHT, RERANKS, SEED_ARMS, Overrides, arm_name
from memory.services.outside import configured
from memory.shapes.strict import Strict

W = TypeVar("W", bound=float | None)
S = TypeVar("S", bound=bool | None)
_SAME_NAMES = {
    "fusion", "weights", "stages", "vector_floor", "smoothing", "access_bonus", "record_access", "record_exposures",
    "rerank",
}  # fmt: skip
Mode = Annotated[
    Literal[MODES],  # type: ignore[valid-type]
    Field(
        description="hybrid: by meaning and by word; vector: by meaning alone; by word alone: natural (any word),"
        " keyword (every word), exact (as one phrase), fuzzy (words may be misspelt),"
        ' raw (a query language: word, wor*, "a phrase", AND, OR, NOT or -, parentheses).'
    ),
]
Detail = Annotated[
    Literal["1", "2", "3", "full"],
    BeforeValidator(lambda value: str(value) if isinstance(value, int) and not isinstance(value, bool) else value),
    Field(
        description="How much of each text: 1 none, 2 its first 40 characters, 3 its first 200, full all. The token"
        " budget counts what is left."
    ),
]
DETAILS: Final[Mapping[str, int | None]] = {"1": 0, "2": 40, "3": 200, "full": None}
"""Characters of each text, by `detail`."""
STAGE_NAMES = tuple(stage.name for stage in STAGES)


def _arm(value: str) -> str:
    known = (*ARMS, *SEED_ARMS, *(one.name for one in configured()))
    if value not in known:
        raise ValueError(f"knows no retriever '{value[:64]}': choose from {', '.join(known)}")
    return arm_name(value)


def known_weights(value: dict[str, W] | None) -> dict[str, W] | None:
    """`value` with each retriever under its own name; ValueError for one that is unknown or named twice."""
    if value is None:
        return None
    for name in value:
        _arm(name)
    if len({arm_name(name) for name in value}) < len(value):
        raise ValueError("names a retriever twice, by its own name and by the seed's")
    return {arm_name(name): weight for name, weight in value.items()}


def known_stages(value: dict[str, S] | None) -> dict[str, S] | None:
    """`value`; ValueError for a stage that is unknown."""
    for name in value or {}:
        if name not in STAGE_NAMES:
            raise ValueError(f"knows no stage '{name[:64]}': choose from {', '.join(STAGE_NAMES)}")
    return value


Arm = Annotated[str, AfterValidator(_arm)]
"""A retriever by its own or the seed's name; its own afterwards."""
Weights = Annotated[
    dict[str, Annotated[float, Field(ge=0, le=MOST_WEIGHT)]] | None,
    AfterValidator(known_weights),
    Field(description="By retriever, 0 to 10; multiplies what it counts by itself, 0 leaves it out."),
]
Stages = Annotated[
    dict[str, bool] | None, AfterValidator(known_stages), Field(description="Stages switched on (true) or off (false).")
]


class Ranking(Strict):
    """What to do otherwise than the tenant has set; null: as it is set."""

    fusion: Literal[FUSIONS] | None = Field(  # type: ignore[valid-type]
        None, description="score: by how scores are distributed; rrf: by weighted reciprocal rank."
    )
    weights: Weights = None
    adaptive_weights: bool | None = Field(None, description="Weigh retrievers by the shape of the query.")
    stages: Stages = None
    vector_floor: int | None = Field(
        None, ge=0, le=100, description="That many of the nearest by meaning are always among the results."
    )
    smoothing: float | None = Field(
        None, ge=0, le=1, description="Share of its neighbours' score that a result is lent."
    )

    access_bonus: float | None = Field(
        None, ge=0, le=1, description="By how much of their odds the stage access_bonus lifts much-used memories."
    )
    record_access: bool | None = Field(None, description="Count the results as used; needs the right write.")
    record_exposures: bool | None = Field(None, description="Count the results as shown; needs the right write.")
    rerank: Literal[RERANKS] | None = Field(  # type: ignore[valid-type]
        None,
        description="Who reads the best 20 and orders them: relevant_only and full_reorder: the language model; scores:"
        " the operator's reranking service.",
    )

    @property
    def overrides(self) -> Overrides:
        """The same for `recall`."""
        given: dict[str, Any] = self.model_dump(include=_SAME_NAMES)
        return Overrides(**given, adaptive=self.adaptive_weights)


ALL_OFF = dict.fromkeys(STAGE_NAMES, False)
"""The switches of `full_pipeline: false`."""
