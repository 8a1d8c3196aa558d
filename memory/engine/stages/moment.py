"""When something was: world time first, else when it became known."""

from datetime import datetime

from loci.ground.instants import parse_instant
from memory.engine.stages.stage import Candidate


def moment(candidate: Candidate) -> datetime:
    """When it happened, if that is known, else since when it is known."""
    payload = candidate.record.payload
    return parse_instant(payload["timestamp"] or payload["known_from"], naive_is_utc=True)
