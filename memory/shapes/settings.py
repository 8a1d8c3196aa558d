"""A tenant's settings, field by field: what may be changed, and what is told."""

from datetime import datetime
from typing import Annotated, Any, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, Field
from pydantic_core import PydanticCustomError

from memory.engine.dates import LANGUAGES
from memory.engine.tuning import DATE_ORDERS, FUSIONS, MOST_WEIGHT, RERANKS
from memory.shapes.ranking import known_stages, known_weights
from memory.shapes.strict import Strict
from memory.stores.llm import PROVIDERS
from memory.stores.outbound.client import is_web_address

Weight = Annotated[float, Field(ge=0, le=MOST_WEIGHT)]


def _zone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError(f"'{name[:64]}' is no time zone: write one such as Europe/Berlin")
    return name


def _languages(codes: list[str]) -> list[str]:
    for code in codes:
        if code not in LANGUAGES:
            raise ValueError(f"'{code[:16]}' is no language that dates are read in: {', '.join(LANGUAGES)}")
    return list(dict.fromkeys(codes))


def _address(text: str) -> str:
    text = text.strip()
    if not is_web_address(text):
        raise PydanticCustomError("address_invalid", "is no http or https address")
    if "@" in text.partition("//")[2].partition("/")[0]:
        raise PydanticCustomError("address_invalid", "holds a user or password: give the key as llm.api_key")
    return text


def _key(text: str) -> str:
    text = text.strip()
    if not text or not all("!" <= character <= "~" for character in text):
        raise PydanticCustomError("key_invalid", "has characters that no key has")
    return text


class RecallChange(Strict):
    """How recall ranks; what is absent stays, null is the default again."""

    fusion: Literal[FUSIONS] | None = Field(  # type: ignore[valid-type]
        None, description="score: by how scores are distributed; rrf: by weighted reciprocal rank."
    )
    weights: Annotated[dict[str, Weight | None] | None, AfterValidator(known_weights)] = Field(
        None, description="By retriever, 0 to 10; multiplies what it counts by itself, 0 leaves it out."
    )
    adaptive_weights: bool | None = Field(None, description="Weigh retrievers by the shape of the query.")
    stages: Annotated[dict[str, bool | None] | None, AfterValidator(known_stages)] = Field(
        None, description="Stages switched on (true) or off (false)."
    )
    smoothing: float | None = Field(None, ge=0, le=1, description="Share of its neighbours' score a result is lent.")
    vector_floor: int | None = Field(
        None, ge=0, le=100, description="That many of the nearest by meaning are always among the results."
    )
    fields: dict[Literal["text", "key", "tags"], Weight | None] | None = Field(
        None, description="What a word counts that stands in a memory's text, key or tags."
    )
    token_budget: int | None = Field(
        None, ge=1, le=1_000_000, description="Tokens that the results may have together, if a request says nothing."
    )
    half_life: float | None = Field(
        None, ge=0.01, le=36_500, description="Days after which a memory counts as half as fresh."
    )
    access_bonus: float | None = Field(
        None, ge=0, le=1, description="By how much of their odds the stage access_bonus lifts much-used memories."
    )
    record_access: bool | None = Field(None, description="Count what recalls find as used.")
    record_exposures: bool | None = Field(None, description="Count what recalls find as shown.")
    rerank: Literal[RERANKS] | None = Field(  # type: ignore[valid-type]
        None, description="Who reads the best 20 results and orders them."
    )


class DatesChange(Strict):
    """How dates in questions are read."""

    time_zone: Annotated[str, AfterValidator(_zone)] | None = Field(
        None, description="IANA name, for yesterday and for days in the console."
    )
    date_order: Literal[DATE_ORDERS] | None = Field(  # type: ignore[valid-type]
        None, description="How 05/06/2026 is read: day, month, year in which order."
    )
    languages: Annotated[list[str], Field(max_length=16), AfterValidator(_languages)] | None = Field(
        None, description="Languages in which dates are read; an empty list is all that are known."
    )


class LanguageModelChange(Strict):
    """The tenant's own language model; `llm: null` takes it away, with its key."""

    provider: Literal[PROVIDERS] | None = None  # type: ignore[valid-type]
    url: Annotated[str, Field(max_length=500), AfterValidator(_address)] | None = Field(
        None, description="The service's address; the provider's own when null."
    )
    model: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="The model, as the provider calls it."
    )
    api_key: Annotated[str, Field(max_length=1000), AfterValidator(_key)] | None = Field(
        None, description="The service's key. It is encrypted, and never told again.", repr=False
    )


class SettingsChange(Strict):
    """A merge patch: what is absent stays as it is, null is the default again."""

    recall: RecallChange | None = None
    dates: DatesChange | None = None
    llm: LanguageModelChange | None = None

    @property
    def patch(self) -> dict[str, Any]:
        """Only what was given."""
        return self.model_dump(exclude_unset=True)


class RecallSettings(BaseModel):
    """How recall ranks, defaults included."""

    fusion: str
    weights: dict[str, float] = Field(description="Those set; a retriever that is absent counts 1.")
    adaptive_weights: bool
    stages: dict[str, bool] = Field(description="All stages, switched on or off.")
    smoothing: float
    vector_floor: int
    fields: dict[str, float]
    token_budget: int | None
    half_life: float
    access_bonus: float
    record_access: bool
    record_exposures: bool
    rerank: str


class DatesSettings(BaseModel):
    """How dates in questions are read."""

    time_zone: str
    date_order: str
    languages: list[str]


class LanguageModelSettings(BaseModel):
    """The tenant's own language model. `source` says whose is in force: tenant, operator or none."""

    provider: str | None = None
    url: str | None = None
    model: str | None = None
    api_key_set: bool = False
    api_key_last4: str | None = Field(None, description="The last 4 characters of a key of 12 or more.")
    source: Literal["tenant", "operator", "none"] = "none"


class SettingsAnswer(BaseModel):
    """All settings of a tenant, as they are in force."""

    version: int = Field(description="Counts the changes; also the ETag.")
    changed_at: datetime | None
    recall: RecallSettings
    dates: DatesSettings
    llm: LanguageModelSettings
    chosen: list[str] = Field(description="The names of what the tenant has set, such as recall.fusion.")
