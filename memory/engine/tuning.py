"""How recall is tuned: what a tenant has set, and what one request asks to be different."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

FUSIONS: Final = ("score", "rrf")
"""Score fusion by z-scores over the pool; weighted reciprocal rank fusion."""
MODES: Final = ("hybrid", "natural", "raw", "exact", "keyword", "fuzzy", "vector")
"""All arms; the words alone, read in one of five ways; the meaning alone."""
ARMS: Final = ("dense", "lexical", "temporal", "graph", "hyde", "expansion")
SEED_ARMS: Final[Mapping[str, str]] = MappingProxyType({"vector": "dense", "bm25": "lexical", "memgraph": "graph"})
"""The seed's names of arms, taken wherever an arm is named."""
RERANKS: Final = ("off", "relevant_only", "full_reorder", "scores")
"""Not at all; by a language model that names what helps, or all of them; by a service that scores."""
DATE_ORDERS: Final = ("dmy", "mdy", "ymd")
MOST_WEIGHT: Final = 10.0
_NONE: Final[Mapping[str, float]] = MappingProxyType({})
_OFF: Final[Mapping[str, bool]] = MappingProxyType({})
FIELD_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType({"text": 1.0, "key": 0.4, "tags": 0.1})
"""What a match in each field counts, beside one in the text."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """How a tenant's recalls are done; the defaults are what measured best (docs/recall.md).

    `weights`: by arm, 0 to 10; they multiply what the arm counts by itself, and 0 leaves it out. Set ones win over
    `adaptive`, which weighs arms by the shape of the query. `stages`: switches that differ from the stages' defaults.
    `smoothing`: share of its neighbours' score that a hit is lent, 0 to 1. `vector_floor`: that many of the nearest
    by meaning are always among the results. `token_budget`: for requests that give none. `half_life`: days after
    which a memory counts as half as fresh. `time_zone`: IANA name, for "yesterday". `languages`: ISO 639-1 codes in
    which dates are read; empty is all that are known. `access_bonus`: by how much of their odds much-used memories rise
    at most, 0 to 1. `record_access`, `record_exposures`: whether recalls are remembered, for the stages that go by it.
    `rerank`: one of RERANKS.
    """

    fusion: str = "score"
    weights: Mapping[str, float] = field(default_factory=lambda: _NONE)
    adaptive: bool = False
    smoothing: float = 0.75
    stages: Mapping[str, bool] = field(default_factory=lambda: _OFF)
    vector_floor: int = 0
    fields: Mapping[str, float] = field(default_factory=lambda: FIELD_WEIGHTS)
    token_budget: int | None = None
    half_life: float = 14.0
    time_zone: str = "UTC"
    date_order: str = "dmy"
    languages: tuple[str, ...] = ()
    access_bonus: float = 0.25
    record_access: bool = False
    record_exposures: bool = False
    rerank: str = "off"


DEFAULTS: Final = Tuning()


_SCALARS: Final = (
    "fusion", "adaptive", "smoothing", "vector_floor", "access_bonus", "record_access", "record_exposures", "rerank",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Overrides:
    """What one request asks to be different from the tenant's tuning; None: as the tenant has it."""

    fusion: str | None = None
    weights: Mapping[str, float] | None = None
    adaptive: bool | None = None
    smoothing: float | None = None
    stages: Mapping[str, bool] | None = None
    vector_floor: int | None = None
    access_bonus: float | None = None
    record_access: bool | None = None
    record_exposures: bool | None = None
    rerank: str | None = None

    def over(self, tuning: Tuning) -> Tuning:
        """`tuning` with these in place of its own; weights and switches are merged name by name."""
        given = {name: value for name in _SCALARS if (value := getattr(self, name)) is not None}
        return replace(
            tuning,
            **given,
            weights={**tuning.weights, **(self.weights or {})},
            stages={**tuning.stages, **(self.stages or {})},
        )


AS_SET: Final = Overrides()


def arm_name(name: str) -> str:
    """An arm's own name for its own or its seed's name; any other name as it is."""
    return SEED_ARMS.get(name, name)
