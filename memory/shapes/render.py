"""Records and recalls as REST shows them. Seed paths speak of arms by the seed's names."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memory.engine.chosen import RECALL
from memory.engine.items import Outcome
from memory.engine.stages import STAGES
from memory.engine.types import Record
from memory.models import Job
from memory.services.jobs import outcome_json
from memory.services.recall import Hit, Recalled
from memory.services.settings import TenantSettings
from memory.services.why import Why

SEED_NAMES = {"dense": "vector", "lexical": "bm25"}


def seed_name(arm: str) -> str:
    """An arm's name on the seed's paths."""
    return SEED_NAMES.get(arm, arm)


def seed_tag(tag: str) -> str:
    """A tag of `degraded` or `notes` with the arm's seed name (`retriever:vector:timeout`)."""
    kind, _, rest = tag.partition(":")
    if kind != "retriever":
        return tag
    arm, _, what = rest.partition(":")
    return f"retriever:{seed_name(arm)}:{what}"


def memory(record: Record) -> dict[str, Any]:
    """A memory with everything about it."""
    hidden = ("content_hash", "trace_id")
    shown = {name: value for name, value in record.payload.items() if name not in hidden}
    return {"id": str(record.id), "version": str(record.version), "text": record.text, **shown}


def payload(record: Record) -> dict[str, Any]:
    """The seed's flat payload: own metadata beside the built-in fields, which win; what is not set is left out."""
    built_in = {
        name: value
        for name, value in record.payload.items()
        if name not in ("metadata", "trace_id", "key", "known_to") and value not in (None, [])
    }
    return {**record.payload["metadata"], **built_in}


def hit(found: Hit, *, explain: bool, length: int | None = None) -> dict[str, Any]:
    """One result of a recall, its text cut to `length` characters."""
    document: dict[str, Any] = {
        "id": str(found.record.id),
        "text": found.record.text[:length],
        "score": round(found.score, 6),
        "source": found.record.payload["source"] or None,
        "retrievers": [seed_name(arm) for arm in found.arms],
        "metadata": payload(found.record),
    }
    if length is not None and len(found.record.text) > length:
        document["cut"] = True
    if found.beside:
        document["neighbors"] = [
            {
                "id": str(near.record.id),
                "distance": near.distance,
                "text": near.record.text[:length],
                "metadata": payload(near.record),
            }
            for near in found.beside
        ]
    if explain:
        document["explanation"] = {
            "ranks": {seed_name(arm): rank for arm, rank in found.arms.items()},
            "parts": {seed_name(arm): round(part, 6) for arm, part in found.parts.items()},
            "raw": {seed_name(arm): round(score, 6) for arm, score in found.raw.items()},
        }
    return document


def recalled(query: str, answer: Recalled, *, trace: bool, length: int | None = None) -> dict[str, Any]:
    """A whole recall."""
    degraded, notes = ([seed_tag(tag) for tag in tags] for tags in (answer.degraded, answer.notes))
    return {
        "query": query,
        "results": [hit(found, explain=trace, length=length) for found in answer.hits],
        "degraded": degraded,
        "notes": notes,
        "trace": _trace(answer.trace) | {"degraded": degraded, "notes": notes} if trace else None,
        "tokens_estimate": answer.tokens_estimate,
    }


def tenant_settings(found: TenantSettings) -> dict[str, Any]:
    """A tenant's settings; the key of its language model is never among them."""
    tuning, model = found.tuning, found.model
    return {
        "version": found.version,
        "changed_at": found.changed_at,
        "recall": {
            **{name: _plain(getattr(tuning, ours)) for name, ours in RECALL.items()},
            "stages": {stage.name: tuning.stages.get(stage.name, stage.default) for stage in STAGES},
        },
        "dates": {
            "time_zone": tuning.time_zone,
            "date_order": tuning.date_order,
            "languages": list(tuning.languages),
        },
        "llm": {
            "provider": model.provider,
            "url": model.url,
            "model": model.model,
            "api_key_set": model.key_set,
            "api_key_last4": model.key_last4,
            "source": model.source,
        },
        "chosen": list(found.chosen),
    }


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def why(found: Why) -> dict[str, Any]:
    """Why a memory did or did not come."""
    return {
        "id": str(found.record.id),
        "version": str(found.record.version),
        "verdict": found.verdict,
        "rank": found.rank,
        "margin": _rounded(found.margin),
        "parts": {seed_name(part): round(value, 6) for part, value in found.parts.items()},
        "retrievers": {
            seed_name(name): {
                "rank": arm.rank,
                "score": _rounded(arm.score),
                "taken": arm.taken,
                "last_score": _rounded(arm.last),
                "margin": _rounded(arm.margin),
            }
            for name, arm in found.arms.items()
        },
        "filtered_by": list(found.clauses),
        "times": list(found.times),
        "indexed": found.indexed,
        "degraded": [seed_tag(tag) for tag in found.degraded],
        "notes": [seed_tag(tag) for tag in found.notes],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _trace(trace: Mapping[str, Any]) -> dict[str, Any]:
    arms = [{**arm, "name": seed_name(arm["name"])} for arm in trace.get("retrievers", [])]
    weights = {seed_name(arm): round(weight, 6) for arm, weight in trace.get("weights", {}).items()}
    timings = {seed_name(part): taken for part, taken in trace.get("timings_ms", {}).items()}
    return {**trace, "retrievers": arms, "weights": weights, "timings_ms": timings}


def job(row: Job, *, with_result: bool) -> dict[str, Any]:
    """A job; its outcomes only when it is looked at alone."""
    result = row.result if with_result else None
    return {
        "id": str(row.id),
        "kind": row.kind,
        "state": row.state,
        "total": row.total,
        "done": row.done,
        "result": json.loads(result) if isinstance(result, str) else result,
        "error": row.error or None,
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }


def written(done: Sequence[Outcome] | Job) -> tuple[int, dict[str, Any]]:
    """Status and answer of a write: what became of each item, or the job that does it."""
    if isinstance(done, Job):
        return 202, {"job": str(done.id), "state": done.state, "total": done.total, "url": f"/api/v1/jobs/{done.id}"}
    return 200, {
        "results": [outcome_json(outcome) for outcome in done],
        "stored": sum(outcome.status == "stored" for outcome in done),
        "duplicates": sum(outcome.status in ("duplicate", "updated") for outcome in done),
        "failed": sum(outcome.status == "failed" for outcome in done),
        "notes": [] if all(outcome.searchable for outcome in done) else ["indexing"],
    }
