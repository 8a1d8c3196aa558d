"""Evaluate: ask the golden questions, and keep what came of it."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from uuid import UUID

from loci.ground.errors import NotFound, RuleBroken
from loci.ground.ids import uuid7
from memory.engine.tuning import AS_SET, Overrides, Tuning
from memory.services.golden import GoldenQuestion, list_questions, reach_of
from memory.services.recall import recall
from memory.stores.embedders import configured
from memory.stores.postgres import corpus, golden
from memory.stores.postgres.golden import Run
from tenants import audit
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

DEPTH = 50
"""Results of each question that are looked at; what is not among them counts as not found."""
KEPT = 100
"""Runs that are kept."""
PER_PAGE = 100
NO_BUDGET = 2**62
Ranks = dict[str, list[int | None]]


@dataclass(frozen=True, slots=True)
class Plan:
    """How the questions are asked: as the tenant's recalls are, but for `overrides` and `mode`."""

    overrides: Overrides = AS_SET
    mode: str = "hybrid"

    def settings(self, tenants: Tuning) -> str:
        """A digest of everything that ranks: runs with another one compare settings, not memories."""
        tuning = self.overrides.over(tenants)
        said = {each.name: _plain(getattr(tuning, each.name)) for each in fields(tuning)}
        text = json.dumps([said, self.mode, configured().space], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def to_json(self) -> dict[str, Any]:
        """For a job's payload."""
        return {"overrides": asdict(self.overrides), "mode": self.mode}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Plan":
        """What `to_json` wrote."""
        return cls(Overrides(**document["overrides"]), document["mode"])


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose best rank differs between two runs; None: not found. `question` None: it was removed since."""

    id: UUID
    question: str | None
    before: int | None
    now: int | None

    @property
    def gain(self) -> float:
        """How much better it is: a difference of reciprocal ranks, -1 to 1."""
        return _reciprocal(self.now) - _reciprocal(self.before)


@dataclass(frozen=True, slots=True)
class Compared:
    """A run beside the one before it; what got worse most first, likewise what got better."""

    run: Run
    former: Run | None
    worse: Sequence[Change]
    better: Sequence[Change]


@dataclass(frozen=True, slots=True)
class RunPage:
    """Runs, newest first; `next_before` is where the next page begins, None at the end."""

    runs: list[Compared]
    next_before: UUID | None


def evaluate(scope: Scope, *, plan: Plan | None = None) -> Run:
    """Ask every question and keep the run. `RuleBroken` when none expects a memory that is still there."""
    require(scope, Right.WRITE)
    how, ranks = plan or Plan(), Ranks()
    for batch in each_batch(scope, how):
        ranks |= batch
    return keep(scope, how, ranks)


def each_batch(scope: Scope, plan: Plan, known: Sequence[str] = (), size: int = 10) -> Iterator[Ranks]:
    """The ranks of the questions that are not `known`, `size` at a time, as they are asked."""
    batch, seen = Ranks(), set(known)
    for one in _questions(scope):
        if one.expected and str(one.id) not in seen:
            batch[str(one.id)] = _ask(scope, plan, one)
        if len(batch) == size:
            yield batch
            batch = Ranks()
    if batch:
        yield batch


def _questions(scope: Scope) -> Iterator[GoldenQuestion]:
    page = list_questions(scope, limit=PER_PAGE)
    yield from page.questions
    while page.next_before:
        page = list_questions(scope, limit=PER_PAGE, before=page.next_before)
        yield from page.questions


def _ask(scope: Scope, plan: Plan, one: GoldenQuestion) -> list[int | None]:
    """The rank of each memory that a question expects; the asking itself teaches nothing."""
    overrides = replace(plan.overrides, record_access=False, record_exposures=False)
    answer = recall(
        scope, query=one.question, limit=DEPTH, filters=one.filter, mode=plan.mode, overrides=overrides,
        token_budget=NO_BUDGET,
    )  # fmt: skip
    places = {hit.record.id: rank for rank, hit in enumerate(answer.hits, 1)}
    return [places.get(memory) for memory in one.expected]


def keep(scope: Scope, plan: Plan, ranks: Ranks, run_id: UUID | None = None) -> Run:
    """Store what came of a run, and return it."""
    if not ranks:
        raise RuleBroken(
            "No golden question expects a memory that is there: add some to /golden-questions first.",
            code="no_questions",
        )
    run, reach = run_id or uuid7(), reach_of(scope)
    row = {
        "id": run,
        "questions": len(ranks),
        **{f"recall_{k}": _mean([_share(found, k) for found in ranks.values()]) for k in (1, 5, 10)},
        "mrr": _mean([_reciprocal(best(found)) for found in ranks.values()]),
        "ranks": ranks,
    }
    with tenant_rows(scope.tenant) as cursor:
        settings = plan.settings(corpus.read(cursor, scope).tuning)
        golden.add_run(cursor, scope, reach, {**row, "settings": settings}, KEPT)
        audit.record(cursor, scope, "golden.run", id=str(run), questions=len(ranks))
        (stored,) = golden.runs(cursor, scope, reach, upto=run, limit=1)
    return stored


def _share(ranks: Sequence[int | None], k: int) -> float:
    """The share of the expected memories among the first `k`; more than fit there are not asked of it."""
    return sum(rank is not None and rank <= k for rank in ranks) / min(len(ranks), k)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def best(ranks: Sequence[int | None]) -> int | None:
    """The best rank; None when nothing was found."""
    return min((rank for rank in ranks if rank is not None), default=None)


def _reciprocal(rank: int | None) -> float:
    return 1 / rank if rank else 0.0


def list_runs(scope: Scope, *, limit: int = 20, before: UUID | None = None) -> RunPage:
    """The newest runs under the same narrowing, each compared with the one before it; at most `limit` (1 to 100)."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        reach = reach_of(scope)
        found = golden.runs(cursor, scope, reach, before=before, limit=limit + 1)
        pairs = list(zip(found, [*found[1:], None], strict=False))[:limit]
        changes = [_changes(run, former) for run, former in pairs]
        ids = {change.id for each in changes for change in each}
        texts = golden.texts(cursor, scope, reach, sorted(ids))
    compared = [_compared(run, former, each, texts) for (run, former), each in zip(pairs, changes, strict=True)]
    return RunPage(compared, found[limit - 1].id if len(found) > limit else None)


def get_run(scope: Scope, run: UUID) -> Compared:
    """A run beside the one before it; `NotFound` when there is none under the same narrowing."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        reach = reach_of(scope)
        found = golden.runs(cursor, scope, reach, upto=run, limit=2)
        if not found or found[0].id != run:
            raise NotFound("There is no such run.")
        former = found[1] if len(found) > 1 else None
        changes = _changes(found[0], former)
        texts = golden.texts(cursor, scope, reach, sorted(change.id for change in changes))
    return _compared(found[0], former, changes, texts)


def _changes(run: Run, former: Run | None) -> list[Change]:
    """The questions of both runs whose best rank differs."""
    pairs = (
        [(each, best(former.ranks[each]), best(now)) for each, now in run.ranks.items() if each in former.ranks]
        if former
        else []
    )
    return [Change(UUID(each), None, before, now) for each, before, now in pairs if before != now]


def _compared(run: Run, former: Run | None, changes: Sequence[Change], texts: Mapping[UUID, str]) -> Compared:
    named = sorted((replace(each, question=texts.get(each.id)) for each in changes), key=lambda each: each.gain)
    worse, better = [each for each in named if each.gain < 0], [each for each in named[::-1] if each.gain > 0]
    return Compared(run, former, worse, better)
