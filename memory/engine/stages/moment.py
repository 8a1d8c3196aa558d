"""When something was: world time first, else when it became known."""

from datetime import datetime

from loci.ground.instants import parse_instant
from memory.engine.stages.stage import Asked, Candidate


def moment(candidate: Candidate) -> datetime:
    """When it happened, if that is known, else since when it is known."""
    payload = candidate.record.payload
    return parse_instant(payload["timestamp"] or payload["known_from"], naive_is_utc=True)


def days_since(asked: Asked, then: datetime) -> float:
    """Days from `then` to now, 0 for what lies ahead."""
    return max(0.0, (asked.now - then).total_seconds() / 86_400)
