"""Look-ups of names, which cannot be broken off: a name that hangs holds one thread, and an owner two of them."""

import os
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

Resolver = Callable[[str, int], Sequence[str]]
Key = tuple[Resolver, str, int]
THREADS = 32
"""Names that are looked up at once; one more is not begun."""
EACH = 2
"""Of them, those of one owner."""
SLOW = 5.0
"""Seconds after which a look-up counts as hanging."""
AVOIDED = 30.0
"""Seconds for which a name whose look-up hung is not looked up again."""
KEPT = 1024


@dataclass(frozen=True, slots=True)
class _Running:
    future: "Future[Sequence[str]]"
    begun: float


class LookUps:
    """Look-ups that are under way, and names that hung lately (1,024 at most). Safe between threads.

    Whoever asks for a name that is being looked up waits for the same answer.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="resolver")
        self._running: dict[Key, _Running] = {}
        self._owners: Counter[str] = Counter()
        self._hung: OrderedDict[Key, float] = OrderedDict()

    def addresses(self, owner: str, resolver: Resolver, host: str, port: int, seconds: float) -> Sequence[str]:
        """What `resolver` finds within `seconds`. Raises TimeoutError, also when the name hangs or when there are too
        many look-ups, and what the resolver raises."""
        return self._joined(owner, (resolver, host, port)).result(timeout=seconds)

    def under_way(self) -> int:
        """How many look-ups have begun and not ended."""
        with self._lock:
            return len(self._running)

    def _joined(self, owner: str, key: Key) -> "Future[Sequence[str]]":
        with self._lock:
            now = self._clock()
            running = self._running.get(key)
            if running is not None:
                if now - running.begun > SLOW:
                    raise TimeoutError("the look-up hangs")
                return running.future
            if self._hung.get(key, now) > now:
                raise TimeoutError("the look-up hung a moment ago")
            if len(self._running) >= THREADS or self._owners[owner] >= EACH:
                raise TimeoutError("there are too many look-ups")
            resolver, host, port = key
            future = self._pool.submit(resolver, host, port)
            self._running[key] = _Running(future, now)
            self._owners[owner] += 1
        # without the lock: one that is done already calls back at once
        future.add_done_callback(lambda _: self._ended(owner, key))
        return future

    def _ended(self, owner: str, key: Key) -> None:
        with self._lock:
            now = self._clock()
            if now - self._running.pop(key).begun > SLOW:
                self._hung[key] = now + AVOIDED
                self._hung.move_to_end(key)
                while len(self._hung) > KEPT:
                    self._hung.popitem(last=False)
            self._owners[owner] -= 1
            if not self._owners[owner]:
                del self._owners[owner]


@lru_cache(maxsize=1)
def look_ups() -> LookUps:
    """Those of this process."""
    return LookUps()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=look_ups.cache_clear)  # a forked child has none of the threads
