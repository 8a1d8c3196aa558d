"""Learning: what recalls and feedback teach, and what the stages are told of it."""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, get_args
from uuid import UUID

import structlog
from django.db import DatabaseError, InterfaceError
from django.db.backends.utils import CursorWrapper

from loci.ground.errors import NotFound
from loci.ground.metrics import RECORDINGS
from memory.engine.shape import Shape, shape_of
from memory.engine.stages import Candidate
from memory.engine.stages.learned import COUNT, IDLE, LEANING, SHOWN, leaning
from memory.engine.tuning import Overrides, Tuning, arm_name
from memory.engine.types import Ranked
from memory.stores.postgres import learning, records
from tenants import audit, idempotency
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope
from tenants.services.tenants import tenant_secret

log = structlog.get_logger(__name__)
Signal = Literal["useful", "clicked", "irrelevant"]
REWARDS: Mapping[str, float] = {"useful": 1.0, "clicked": 0.6, "irrelevant": 0.0}
RECORDING_MS = 500
"""What recording a recall may take of the answer's time."""
ROUTE = "POST feedback"


@dataclass(frozen=True, slots=True)
class Learned:
    """What a feedback came to. `query_type` is the shape that it counts for; `q_learning_updates` how many arms it
    moved; `ior_recorded` whether it counts as a showing."""

    hit_id: str
    signal: str
    reward: float
    query_type: str
    ior_recorded: bool
    q_learning_updates: int


def give_feedback(
    scope: Scope,
    *,
    hit: str,
    signal: Signal,
    query: str | None = None,
    query_type: str | None = None,
    arms: Sequence[str] = (),
    reward: float | None = None,
    idempotency_key: str | None = None,
) -> tuple[Learned, bool]:
    """Learn from what somebody thought of a hit; what was learned, and whether it had been already.

    `arms` are those that found it. `reward` (0 to 1) is the signal's own unless it is given. The same feedback from
    the same credential counts once a day, so that it can be sent again. `NotFound` for a hit out of reach.
    """
    require(scope, Right.WRITE)
    memory = _memory_of(scope, hit)
    shape = _shape(query, query_type)
    earned = REWARDS[signal] if reward is None else reward
    known = sorted({arm_name(arm) for arm in arms})
    said = {"hit": hit, "signal": signal, "query": query, "shape": shape, "arms": known, "reward": earned}

    def act() -> tuple[int, Any]:
        return 200, asdict(_learn(scope, memory, hit, signal, shape, known, earned))

    key = idempotency_key or _fingerprint(scope, said)
    (_, answer), replayed = idempotency.once(scope, key, route=ROUTE, body=said, act=act)
    return Learned(**answer), replayed


def _fingerprint(scope: Scope, said: Mapping[str, Any]) -> str:
    """A key for feedback sent without one; keyed itself, since it goes by the query."""
    text = json.dumps(said, sort_keys=True).encode()
    return "same:" + hmac.new(tenant_secret(scope.tenant), text, hashlib.sha256).hexdigest()


def _memory_of(scope: Scope, hit: str) -> UUID:
    try:
        memory = UUID(hit)
    except ValueError:
        raise NotFound("There is no such memory.") from None
    with tenant_rows(scope.tenant) as cursor:
        if not records.reached(cursor, scope, [memory]):
            raise NotFound("There is no such memory.")
    return memory


def _shape(query: str | None, query_type: str | None) -> Shape:
    """The shape of the query; the seed's own types of query are not ours, and then the query itself tells."""
    if query_type in get_args(Shape):
        return cast(Shape, query_type)
    return shape_of(query) if query else "general"


def _learn(
    scope: Scope, memory: UUID, hit: str, signal: Signal, shape: Shape, arms: Sequence[str], reward: float
) -> Learned:
    with tenant_rows(scope.tenant) as cursor:
        audit.record(cursor, scope, "feedback.given", id=str(memory), signal=signal, arms=list(arms))
        if signal == "clicked":
            learning.count_showing(cursor, scope, [memory])
        moved = learning.teach(cursor, scope, arms, shape, reward) if arms else 0
    return Learned(hit, signal, reward, shape, signal == "clicked", moved)


def permitted(scope: Scope, overrides: Overrides) -> tuple[Overrides, list[str]]:
    """What a request may ask for: to be recorded needs the right to write; and the notes that say so."""
    if scope.may(Right.WRITE):
        return overrides, []
    names = [name for name in ("record_access", "record_exposures") if getattr(overrides, name)]
    return replace(overrides, **dict.fromkeys(names)), [f"{name}:needs_write" for name in names]


def record_recall(scope: Scope, memories: Sequence[UUID], tuning: Tuning) -> None:
    """Remember that `memories` were recalled, where that is switched on. After the answer; never fails it."""
    if not memories or not (tuning.record_access or tuning.record_exposures):
        return
    try:
        with tenant_rows(scope.tenant, timeout_ms=RECORDING_MS) as cursor:
            if tuning.record_access:
                learning.count_use(cursor, scope, memories)
            if tuning.record_exposures:
                learning.count_showing(cursor, scope, memories)
        RECORDINGS.labels("done").inc()
    except (DatabaseError, InterfaceError) as error:
        RECORDINGS.labels("failed").inc()
        log.warning("recording_failed", reason=type(error).__name__)


def informed(
    cursor: CursorWrapper,
    scope: Scope,
    candidates: Sequence[Candidate],
    shape: Shape,
    arms: Mapping[str, Sequence[Ranked]],
) -> Sequence[Candidate]:
    """The candidates with what use has taught about them; one statement for all."""
    taught = learning.read(cursor, scope, [candidate.record.id for candidate in candidates], shape)
    finders = {arm: {hit.version for hit in hits} for arm, hits in arms.items()}
    return [replace(each, signals=_signals(each, taught, finders)) for each in candidates]


def _signals(each: Candidate, taught: learning.Taught, finders: Mapping[str, set[UUID]]) -> dict[str, float]:
    count, idle = taught.uses.get(each.record.id, (0.0, 0.0))
    found_by = [arm for arm, versions in finders.items() if each.hit.version in versions]
    return {
        COUNT: count,
        IDLE: idle,
        SHOWN: taught.shown.get(each.record.id, 0.0),
        LEANING: leaning(found_by, finders, taught.arms),
    }
