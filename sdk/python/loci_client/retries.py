"""When a request is sent again. Only where that cannot do a thing twice."""

import random
from dataclasses import dataclass

from loci_client.errors import LociError, NotReached, Refused
from loci_client.steps import Call, Flow, Pause, Reply, T, read

OVERLOADED = frozenset({502, 503, 504})


@dataclass(frozen=True)
class Retries:
    """How often and how patiently. `Retries(attempts=1)` never sends anything again."""

    attempts: int = 4
    first_pause: float = 0.5
    """Seconds; each further pause is twice as long, and all are shortened at random by up to a half."""
    longest_pause: float = 30.0
    """Of one pause, and of a Retry-After: who asks for more is not asked again, the error is raised."""

    def pause_before(self, attempt: int, error: LociError, *, repeatable: bool) -> float | None:
        """Seconds to wait before attempt number `attempt` (2, 3, …); None: the error stands."""
        if attempt > self.attempts or not _may_repeat(error, repeatable=repeatable):
            return None
        backoff = min(self.longest_pause, self.first_pause * 2.0 ** (attempt - 2)) * random.uniform(0.5, 1.0)
        asked = error.retry_after if isinstance(error, Refused) else None
        if asked is None:
            return backoff
        return None if asked > self.longest_pause else asked + backoff * 0.1  # not all clients in the same moment


def _may_repeat(error: LociError, *, repeatable: bool) -> bool:
    if isinstance(error, NotReached):
        return repeatable or not error.sent
    if not isinstance(error, Refused):
        return False
    if error.status == 429 or error.code == "idempotency_in_flight":
        return True
    return repeatable and error.status in OVERLOADED and error.code != "embedding_space_mismatch"


def attempts(call: Call[T], retries: Retries) -> Flow[T]:
    """Carry out a call, again if need be."""
    exchange = call.exchange()
    attempt = 1
    while True:
        try:
            reply: Reply = yield exchange
            return read(call, reply)
        except LociError as error:
            attempt += 1
            pause = retries.pause_before(attempt, error, repeatable=call.repeatable)
            if pause is None:
                raise
        yield Pause(pause)
