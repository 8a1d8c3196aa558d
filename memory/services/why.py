"""Why a memory did or did not come: the same recall again, and what became of that one memory in it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal
from uuid import UUID

from django.conf import settings
from django.db.backends.utils import CursorWrapper

from loci.ground.errors import NotFound
from loci.ground.instants import parse_instant
from memory.engine.clauses import Clause, together
from memory.engine.tuning import AS_SET, Overrides
from memory.engine.types import NOW, PoolItem, Ranked, Record, Search, View
from memory.services.questions import NO_HELP, Help
from memory.services.recall import searched, spend
from memory.services.retrieve import arms_of, stores
from memory.services.run import Run
from memory.stores.postgres import corpus, reasons, records
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

DEEP: Final = 1000
"""How far down each arm is asked for the memory."""
Verdict = Literal["returned", "over_token_budget", "below_limit", "below_cut", "filtered", "other_time"]


@dataclass(frozen=True, slots=True)
class ArmReason:
    """What an arm makes of the memory: its rank from 1 (None: not among the first DEEP), its score (None: the arm
    has none for it), how many hits the arm sent on, and the score of the last of them."""

    rank: int | None
    score: float | None
    taken: int
    last: float | None

    @property
    def margin(self) -> float | None:
        """By how much it missed the arm's cut; None where it did not, or nothing can be said."""
        if self.score is None or self.last is None or (self.rank is not None and self.rank <= self.taken):
            return None
        return self.last - self.score


@dataclass(slots=True)
class Why:
    """`rank`: place among all that was fused, from 1; `margin`: log-odds by which it misses the last result.

    `times`: which time keeps it from view; `clauses`: names of the conditions that it fails; `indexed`: whether its
    vector is there.
    """

    record: Record
    verdict: Verdict
    indexed: bool
    rank: int | None = None
    margin: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    arms: Mapping[str, ArmReason] = field(default_factory=dict)
    times: Sequence[str] = ()
    clauses: Sequence[str] = ()
    degraded: Sequence[str] = ()
    notes: Sequence[str] = ()


def why(
    scope: Scope,
    *,
    memory: UUID,
    query: str,
    limit: int = 10,
    clauses: Sequence[Clause] = (),
    view: View = NOW,
    token_budget: int | None = None,
    mode: str = "hybrid",
    overrides: Overrides = AS_SET,
    wanted: Help = NO_HELP,
    radius: int = 0,
    length: int | None = None,
) -> Why:
    """What becomes of `memory` in the recall that the other arguments describe (see `recall`).

    `NotFound` when there is no such memory within reach.
    """
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        record, shown = _looked_at(cursor, scope, memory, view)
        failed = _failed(cursor, scope, record.version, clauses)
    found = Why(record, "other_time", record.payload["indexed_at"] is not None, clauses=failed)
    if not shown:
        found.times = _times(record, view)
        return found
    if failed:
        found.verdict = "filtered"
        return found
    ends = time.monotonic() + settings.RECALL_DEADLINE
    search = Search(query, limit, ends, view, together(clauses), mode)
    run = searched(scope, search, overrides, wanted=wanted, radius=radius)
    # copies: asking the arms again may add to them
    found.degraded, found.notes = list(run.answer.degraded), list(run.answer.notes)
    _place(found, run, token_budget, length)
    _ask_arms(found, run)
    return found


def _looked_at(cursor: CursorWrapper, scope: Scope, memory: UUID, view: View) -> tuple[Record, bool]:
    """The version that the view shows, else the newest; and whether it is shown."""
    versions = records.versions_of(cursor, scope, memory)
    if not versions:
        raise NotFound("There is no such memory.")
    seen = reasons.seen(cursor, scope, [version.version for version in versions], view)
    shown = next((version for version in versions if version.version in seen), None)
    return shown or versions[0], shown is not None


def _failed(cursor: CursorWrapper, scope: Scope, version: UUID, clauses: Sequence[Clause]) -> list[str]:
    passed = reasons.passed(cursor, scope, version, [clause.filter for clause in clauses])
    return [clause.name for clause, passes in zip(clauses, passed, strict=True) if not passes]


def _times(record: Record, view: View) -> list[str]:
    """Which of the two clocks, or its expiry, keeps a version from view."""

    def at(name: str) -> datetime | None:
        text = record.payload[name]
        return parse_instant(text, naive_is_utc=True) if text else None

    now = view.valid_at or datetime.now(UTC)
    begun, ended, known, known_to, expires = map(at, ("valid_from", "valid_to", "known_from", "known_to", "expires_at"))
    believed_until = known_to is not None and (view.known_at is None or known_to <= view.known_at)
    tests = {
        "not_yet_known": view.known_at is not None and known is not None and known > view.known_at,
        "retracted": believed_until and at("invalidated_at") is not None,
        "superseded": believed_until and at("invalidated_at") is None,
        "not_yet_valid": begun is not None and begun > now,
        "no_longer_valid": ended is not None and ended <= now,
        "expired": not view.valid_at and not view.known_at and expires is not None and expires <= now,
    }
    return [name for name, holds in tests.items() if holds]


def _place(found: Why, run: Run, token_budget: int | None, length: int | None) -> None:
    """Its place among all that was fused, and what kept it from the results."""
    version = found.record.version
    returned = [hit.record.version for hit in run.answer.hits]
    spend(run, token_budget, length)
    fused = {hit.version: (rank, hit) for rank, hit in enumerate(run.order, 1)}
    if version in fused:
        found.rank, hit = fused[version]
        found.parts = hit.parts
    if version in returned:
        kept = len(run.answer.hits)
        found.rank = returned.index(version) + 1
        found.verdict = "returned" if found.rank <= kept else "over_token_budget"
    elif version in fused:
        found.verdict = "below_limit"
        last = fused[returned[-1]][1] if returned else None
        found.margin = sum(last.parts.values()) - sum(found.parts.values()) if last else None
    else:
        found.verdict = "below_cut"


def _ask_arms(found: Why, run: Run) -> None:
    """Each arm's rank and score of the memory: by asking all of them again, further down."""
    version = found.record.version
    with tenant_rows(run.scope.tenant, timeout_ms=int(settings.RECALL_DEADLINE * 1000)) as cursor:
        store, words = stores(run, cursor, corpus.read(cursor, run.scope))
        (item,) = store.complete(run.scope, run.search, [version], [], run.embedding, run.words.weights)[0]
        deep = {name: call() for name, call in arms_of(run, store, words, DEEP) if name in run.arms}
    found.arms = {name: _reason(version, run.arms[name], deep.get(name, ()), item, name) for name in run.arms}


def _reason(version: UUID, taken: Sequence[Ranked], deep: Sequence[Ranked], item: PoolItem, arm: str) -> ArmReason:
    rank, score = next(
        ((rank, hit.score) for rank, hit in enumerate(deep, 1) if hit.version == version), (None, item.scores.get(arm))
    )
    return ArmReason(rank, score, len(taken), taken[-1].score if taken else None)
