"""Jobs: work too large for one request. Progress is kept as it is made, so that a dead worker costs one batch."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from uuid import UUID

import structlog
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Q, QuerySet
from django.utils import timezone

from billing import quotas
from loci.ground.errors import LociError, NotFound, RateLimited, Unavailable
from loci.ground.ids import uuid7
from loci.ground.instants import parse_instant, to_text
from loci.ground.metrics import JOBS
from memory.engine.items import Item, Outcome
from memory.models import Job
from memory.services import wakeup
from memory.services.evaluate import Plan, each_batch, keep
from memory.services.prepare import check_rules, in_scope
from memory.services.remember import remember
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import ALL, Actor, Right, Scope, home_of
from tenants.services.keys import still_holds

log = structlog.get_logger(__name__)
BATCH = 64
LEASE = 300.0
MAX_ATTEMPTS = 5
OPEN = ("queued", "running")
"""The states of a job that has not ended."""
RETRY_AFTER = 30
_INSTANTS = ("event_at", "valid_from", "valid_to")


@dataclass(frozen=True, slots=True)
class JobPage:
    """Jobs, newest first; `next_before` is the cursor of the next page, None at the end."""

    jobs: list[Job]
    next_before: datetime | None


def submit_remember(scope: Scope, *, items: Sequence[Item]) -> Job:
    """Queue items (65 to 1,000) to be remembered; the job. Rules are checked now, so that a fault is told at once.

    `RateLimited` while the tenant has as many jobs waiting or running as its limit `jobs` allows.
    """
    require(scope, Right.WRITE)
    check_rules([in_scope(scope, item) for item in items])
    return submit(
        scope,
        kind="remember",
        total=len(items),
        payload={"items": [_to_json(item) for item in items]},
        result={"results": [], "stored": 0, "duplicates": 0, "failed": 0},
    )


def submit(scope: Scope, *, kind: str, total: int, payload: dict[str, Any], result: dict[str, Any]) -> Job:
    """Queue a job of a kind that `run_next` knows, to be done in this scope; `RateLimited` as above."""
    require(scope, Right.WRITE)
    now = timezone.now()
    with tenant_rows(scope.tenant) as cursor:
        _check_room(cursor, scope)
        job = Job.objects.create(
            id=uuid7(),
            tenant_id=scope.tenant,
            kind=kind,
            total=total,
            payload=payload,
            result=result,
            actor=str(scope.actor),
            scope=_scope_to_json(scope),
            lease_until=now,
            created_at=now,
        )
    transaction.on_commit(wakeup.jobs)
    return job


def _check_room(cursor: CursorWrapper, scope: Scope) -> None:
    """Exact: the lock makes the tenant's submissions wait for each other, and the rows themselves are counted."""
    limit = quotas.limit_of(cursor, scope, "jobs")
    if limit == float("inf"):
        return
    cursor.execute(
        "/* jobs.lock */ SELECT pg_advisory_xact_lock(hashtextextended('loci.jobs.' || %s::text, 0))", [scope.tenant]
    )
    waiting = Job.objects.filter(tenant_id=scope.tenant, state__in=OPEN).count()
    if waiting + 1 > limit:
        count = f"{waiting} are" if scope.whole else "has as many"
        told: dict[str, Any] = {"used": waiting} if scope.whole else {}
        raise RateLimited(
            f"This tenant may have {limit:g} jobs waiting or running, and {count}: try again when some have ended,"
            " send 64 items or fewer at a time, or have the limit raised.",
            code="too_many_jobs",
            headers={"Retry-After": str(RETRY_AFTER)},
            quota="jobs",
            limit=limit,
            **told,
        )


def get_job(scope: Scope, job: UUID) -> Job:
    """A job of the scope's tenant: one's own, or with the right `admin` any that reached no further than the scope."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant):
        found = _mine(scope).filter(id=job).defer("payload").first()
    if found is None:
        raise NotFound("There is no such job.")
    return found


def list_jobs(scope: Scope, *, limit: int = 50, before: datetime | None = None) -> JobPage:
    """The newest jobs that the scope may see; at most `limit` (1 to 200)."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant):
        query = _mine(scope).defer("payload", "result")
        if before:
            query = query.filter(created_at__lt=before)
        found = list(query[: limit + 1])
    return JobPage(found[:limit], found[limit - 1].created_at if len(found) > limit else None)


def _mine(scope: Scope) -> QuerySet[Job]:
    """One's own jobs; with `admin` also those whose whole reach lies within the scope's.

    What a job says of its items (ids, counts, why one failed) is about memories wherever the job could write.
    """
    jobs = Job.objects.filter(tenant_id=scope.tenant)
    if Right.ADMIN not in scope.rights:
        return jobs.filter(actor=str(scope.actor))
    within = Q()
    if not scope.every_namespace:
        within &= Q(scope__namespaces__contained_by=sorted(scope.namespaces))
    if scope.filters:
        within &= Q(scope__filters__contains=dict(scope.filters))
    if scope.agent != ALL:
        within &= Q(scope__agent=scope.agent)
    return jobs.filter(within | Q(actor=str(scope.actor))) if within else jobs


def run_next() -> bool:
    """Claim a job of any tenant and run it to its end; False when there was none."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id, job_id FROM loci_claim_job(%s)", [LEASE])
        row = cursor.fetchone()
    if row is None:
        return False
    tenant, job_id = row
    with tenant_rows(tenant):
        job = Job.objects.get(tenant_id=tenant, id=job_id)
    try:
        if job.attempts > MAX_ATTEMPTS:
            raise LociError(f"given up after {MAX_ATTEMPTS} attempts")
        _RUN[job.kind](job)
    except Unavailable as error:
        log.warning("job_postponed", job=str(job.id), reason=str(error)[:200])
    except LociError as error:
        _end(job, "failed", str(error))
    except Exception as error:
        # the lease runs out and the sweeper tries again; the fault is ours, so it is logged with its trace
        log.exception("job_failed", job=str(job.id), reason=type(error).__name__)
    return True


def _scope_of(job: Job) -> Scope:
    scope = _scope_from_json(job.tenant_id, job.scope)
    if not still_holds(scope):
        raise LociError("the key that queued this was revoked or has expired: nothing more was stored")
    return scope


def _run_remember(job: Job) -> None:
    scope = _scope_of(job)
    items = [_from_json(item) for item in job.payload["items"]]
    while job.done < job.total:
        batch = items[job.done : job.done + BATCH]
        outcomes = remember(scope, items=batch, wait=0)
        job.result["results"].extend(outcome_json(outcome) for outcome in outcomes)
        job.result["stored"] += sum(outcome.status == "stored" for outcome in outcomes)
        job.result["duplicates"] += sum(outcome.status in ("duplicate", "updated") for outcome in outcomes)
        job.done += len(batch)
        _keep_progress(job)
    _end(job, "succeeded", "")


def _run_evaluate(job: Job) -> None:
    scope, plan = _scope_of(job), Plan.from_json(job.payload)
    ranks = job.result["ranks"]
    for batch in each_batch(scope, plan, list(ranks)):
        ranks |= batch
        job.done = min(len(ranks), job.total)
        _keep_progress(job)
    run = keep(scope, plan, ranks, job.id)
    # what was asked may have grown or shrunk since the job was queued
    job.done = job.total = run.questions
    job.result = {
        "run": str(run.id), "recall_at_1": run.recall_1, "recall_at_5": run.recall_5, "recall_at_10": run.recall_10,
        "mrr": run.mrr,
    }  # fmt: skip
    _keep_progress(job)
    _end(job, "succeeded", "")


_RUN = {"remember": _run_remember, "evaluate": _run_evaluate}


def _keep_progress(job: Job) -> None:
    with tenant_rows(job.tenant_id):
        Job.objects.filter(tenant_id=job.tenant_id, id=job.id).update(
            done=job.done,
            total=job.total,
            result=job.result,
            lease_until=timezone.now() + timedelta(seconds=LEASE),
        )


def _end(job: Job, state: str, error: str) -> None:
    job.state = state
    with tenant_rows(job.tenant_id):
        Job.objects.filter(tenant_id=job.tenant_id, id=job.id).update(
            state=state, error=error[:500], payload={}, finished_at=timezone.now()
        )
    JOBS.labels(job.kind, state).inc()


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as REST and jobs show it."""
    document = {
        "id": str(outcome.id) if outcome.id else None,
        "status": outcome.status,
        "item": outcome.item,
        "offset": outcome.offset,
        "searchable": outcome.searchable,
    }
    return document | ({"reason": outcome.reason} if outcome.reason else {})


def _to_json(item: Item) -> dict[str, Any]:
    document = dataclasses.asdict(item)
    return document | {name: to_text(document[name]) for name in _INSTANTS}


def _from_json(document: dict[str, Any]) -> Item:
    moments = {
        name: parse_instant(document[name], naive_is_utc=False) if document[name] else None for name in _INSTANTS
    }
    return Item(**{**document, **moments, "tags": tuple(document["tags"])})


def _scope_to_json(scope: Scope) -> dict[str, Any]:
    return {
        "rights": sorted(scope.rights),
        "actor": [scope.actor.kind, scope.actor.id],
        "namespaces": sorted(scope.namespaces),
        "filters": dict(scope.filters),
        "agent": scope.agent,
        "time_zone": scope.time_zone,
        "home": scope.home,
    }


def _scope_from_json(tenant: UUID, document: dict[str, Any]) -> Scope:
    return Scope(
        tenant=tenant,
        rights=frozenset(Right(right) for right in document["rights"]),
        actor=Actor(*document["actor"]),
        namespaces=frozenset(document["namespaces"]),
        filters=MappingProxyType(document["filters"]),
        agent=document["agent"],
        time_zone=document["time_zone"],
        home=document.get("home") or home_of(document["namespaces"]),  # a job of an earlier version has none
    )
