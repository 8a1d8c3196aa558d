"""Golden questions: what a tenant expects its recalls to find."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from loci.ground.errors import NotFound, RuleBroken
from loci.ground.ids import uuid7
from memory.engine.filters import And, AnyOf, Filter, parse_filters
from memory.services.prepare import bound_to
from memory.stores.postgres import golden, records
from tenants import audit
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

MOST = 1000
MOST_EXPECTED = 100
"""Questions a tenant may have."""


@dataclass(frozen=True, slots=True)
class Golden:
    """A question to add: the memories that it should find, and what it is asked among, as a recall takes it."""

    question: str
    expect: Sequence[UUID]
    filters: Any = None
    namespaces: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one question; `extended`: it was there and expects more now."""

    id: UUID
    status: Literal["added", "extended", "unchanged"]


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question; `missing` of the memories that it expected are gone."""

    id: UUID
    question: str
    filters: Any
    namespaces: Sequence[str] | None
    expected: Sequence[UUID]
    missing: int
    created_by: str
    created_at: datetime

    @property
    def filter(self) -> Filter | None:
        """Filters and namespaces as one."""
        own = parse_filters(self.filters)
        if self.namespaces is None:
            return own
        within = AnyOf("namespace", tuple(self.namespaces))
        return within if own is None else And((own, within))


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """Questions, newest first; `next_before` is where the next page begins, None at the end."""

    questions: list[GoldenQuestion]
    next_before: UUID | None


def reach_of(scope: Scope) -> str:
    """What tells narrowings apart; empty for a credential that nothing narrows."""
    if scope.whole:
        return ""
    said = [sorted(scope.namespaces), bound_to(scope)]
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


def add_questions(scope: Scope, *, questions: Sequence[Golden]) -> list[Added]:
    """Add questions (1 to 200). One that is there already, with the same filters, expects the new memories too.

    `NotFound` when a memory is not within reach, `RuleBroken` when the tenant would have more than 1,000 questions;
    then nothing is added.
    """
    require(scope, Right.WRITE)
    reach = reach_of(scope)
    digests = [_digest(one, reach) for one in questions]
    with tenant_rows(scope.tenant) as cursor:
        _check_expected(records.reached(cursor, scope, sorted(_wanted(questions))), questions)
        golden.lock(cursor, scope)
        ids = golden.known(cursor, scope, digests)
        old = set(ids.values())
        fresh = {digest: one for digest, one in zip(digests, questions, strict=True) if digest not in ids}
        if golden.count(cursor, scope) + len(fresh) > MOST:
            raise RuleBroken(
                f"A tenant may have {MOST:,} golden questions: remove some that tell nothing, then add these.",
                code="too_many_questions",
            )
        # in order, so that a list by id shows them as they were given
        ids |= dict(zip(fresh, sorted(uuid7() for _ in fresh), strict=True))
        if fresh:
            golden.add(cursor, scope, [_row(ids[digest], digest, one, reach) for digest, one in fresh.items()])
        pairs = {(ids[digest], memory) for digest, one in zip(digests, questions, strict=True) for memory in one.expect}
        extended = golden.expect(cursor, scope, sorted(pairs))
        if max(extended.values(), default=0) > MOST_EXPECTED:
            raise RuleBroken(
                f"A golden question may expect {MOST_EXPECTED} memories: add another question for more.",
                code="too_many_expected",
            )
        audit.record(cursor, scope, "golden.added", added=len(fresh), extended=len(extended.keys() & old))
    return [_outcome(ids[digest], old, extended) for digest in digests]


def _digest(one: Golden, reach: str) -> str:
    within = None if one.namespaces is None else sorted(one.namespaces)
    said = [one.question, one.filters, within, reach]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _wanted(questions: Sequence[Golden]) -> set[UUID]:
    return {memory for one in questions for memory in one.expect}


def _check_expected(reached: set[UUID], questions: Sequence[Golden]) -> None:
    for at, one in enumerate(questions):
        for number, memory in enumerate(one.expect):
            if memory not in reached:
                raise NotFound(f"questions[{at}].expect[{number}]: there is no such memory.")


def _row(question: UUID, digest: str, one: Golden, reach: str) -> Mapping[str, Any]:
    return {
        "id": question,
        "digest": digest,
        "reach": reach,
        "question": one.question,
        "filters": one.filters,
        "namespaces": None if one.namespaces is None else list(one.namespaces),
    }


def _outcome(question: UUID, old: set[UUID], extended: Collection[UUID]) -> Added:
    if question not in old:
        return Added(question, "added")
    return Added(question, "extended" if question in extended else "unchanged")


def list_questions(scope: Scope, *, limit: int = 50, before: UUID | None = None) -> QuestionPage:
    """The newest questions; at most `limit` (1 to 200). A narrowed credential sees those written under the same
    narrowing, and of what they expect only what it still reaches."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        found = golden.page(cursor, scope, reach=reach_of(scope), before=before, limit=limit + 1)
        shown = found[:limit]
        every = {memory for one in shown for memory in one.expected}
        within = every if scope.whole else records.reached(cursor, scope, sorted(every))
    page = [
        GoldenQuestion(
            one.id,
            one.question,
            one.filters,
            one.namespaces,
            expected := tuple(memory for memory in one.expected if memory in within),
            max(0, one.wanted - len(expected)),
            one.created_by,
            one.created_at,
        )
        for one in shown
    ]
    return QuestionPage(page, shown[-1].id if len(found) > limit else None)


def remove_questions(scope: Scope, *, ids: Sequence[UUID]) -> int:
    """Remove questions; how many there were. Those out of sight are passed over without a word."""
    require(scope, Right.WRITE)
    with tenant_rows(scope.tenant) as cursor:
        golden.lock(cursor, scope)
        gone = golden.remove(cursor, scope, reach_of(scope), ids)
        if gone:
            audit.record(cursor, scope, "golden.removed", count=gone)
    return gone
