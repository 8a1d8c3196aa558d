"""Reranking: what is to be read before it is answered, in another order if a reranker has one."""

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import structlog

from memory.engine.fusion import with_floor
from memory.engine.language_model import LanguageModelError
from memory.engine.reranking import ListwiseReranker, Reranker, RerankerError
from memory.services.models import language_model
from memory.services.patience import Busy, Late, asking, within
from memory.services.recalled import Hit
from memory.services.run import Run
from memory.stores import rerankers
from tenants.scope import Scope

log = structlog.get_logger(__name__)
RESERVE: Final = 0.05
"""Seconds of the deadline that are left for the answer."""
KEPT_SECONDS: Final = 300.0
KEPT: Final = 1000


class Orders:
    """Orders that rerankers gave, for five minutes, a thousand at most.

    A key is a digest over tenant, reranker and its address, question and versions, and an order is a list of places:
    nothing of a memory is kept, and a memory that is erased or changed never meets an old order.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[bytes, tuple[float, Sequence[int]]] = OrderedDict()

    def get(self, key: bytes) -> Sequence[int] | None:
        """The order that is kept, None when there is none or it is too old."""
        with self._lock:
            until, order = self._found.get(key, (0.0, ()))
            return order if until > time.monotonic() else None

    def keep(self, key: bytes, order: Sequence[int]) -> None:
        """Keep an order; the oldest goes when there are too many."""
        with self._lock:
            self._found[key] = (time.monotonic() + KEPT_SECONDS, order)
            self._found.move_to_end(key)
            while len(self._found) > KEPT:
                self._found.popitem(last=False)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._found.clear()


ORDERS = Orders()


def rerank(run: Run) -> None:
    """Put the best of the answer in the reranker's order, and cut it to the limit.

    No result is lost to a reranker: what it does not name follows, and when it fails or is late the order stays and
    `degraded` says `reranker:<name>:<why>`. It runs outside any transaction.
    """
    manner, hits = run.tuning.rerank, run.answer.hits
    if manner != "off" and len(hits) > 1:
        run.answer.hits = run.timed("rerank", lambda: _ranked(run, manner, hits))
        by_version = {hit.version: hit for hit in run.order}
        moved = {hit.record.version: by_version[hit.record.version] for hit in run.answer.hits}
        run.order = [*moved.values(), *(hit for hit in run.order if hit.version not in moved)]
    run.answer.hits = with_floor(run.answer.hits, run.floor, run.search.limit)


def _ranked(run: Run, manner: str, hits: list[Hit]) -> list[Hit]:
    """The hits in their new order, or as they are."""
    name = "service" if manner == "scores" else "llm"
    try:
        reranker = _reranker(run.scope, manner)
        if reranker is None:
            run.answer.notes.append(f"reranker:{name}:not_configured")
            return hits
        name = reranker.name
        order = _order(run, reranker, manner, hits)
    except (RerankerError, LanguageModelError) as error:
        log.warning("reranker_failed", reason=str(error)[:200])
        why = error.why if isinstance(error, RerankerError) else error.kind
    except Late:
        why = "timeout"
    except Busy:
        why = "busy"
    except Exception as error:  # one of one's own may raise anything; the old order still answers
        log.exception("reranker_failed", reason=type(error).__name__)
        why = "failed"
    else:
        if run.with_trace:
            run.answer.trace["reranker"] = {"name": name, "order": [str(hits[place].record.id) for place in order]}
        return [hits[place] for place in order]
    run.degrade(f"reranker:{name}:{why}")
    return hits


def _reranker(scope: Scope, manner: str) -> Reranker | None:
    """The reranker for a manner; None when there is none to ask."""
    if manner == "scores":
        return rerankers.configured()
    model = language_model(scope)
    if model is None:
        return None
    return ListwiseReranker(model, "full_reorder" if manner == "full_reorder" else "relevant_only")


def _order(run: Run, reranker: Reranker, manner: str, hits: Sequence[Hit]) -> Sequence[int]:
    """All places, the best first. Raises RerankerError, Late and Busy."""
    key = _digest(run, reranker, manner, hits)
    found = ORDERS.get(key)
    if found is None:
        deadline = run.search.deadline - RESERVE
        passages = [_passage(hit) for hit in hits]
        left = deadline - time.monotonic()

        def work() -> Sequence[int]:
            return reranker.order(run.search.text, passages, deadline=deadline)

        found = within(left, work) if manner == "scores" else asking(run.scope.tenant, left, work)
        if sorted(found) != list(range(len(hits))):
            raise RerankerError("bad_reply", f"the reranker {reranker.name} gives no order of all results")
        ORDERS.keep(key, found)
    return found


def _passage(hit: Hit) -> str:
    """What a reranker reads: when it happened, and the text."""
    when = hit.record.payload["timestamp"]
    return f"({str(when)[:10]}) {hit.record.text}" if when else hit.record.text


def _digest(run: Run, reranker: Reranker, manner: str, hits: Sequence[Hit]) -> bytes:
    parts = [
        str(run.scope.tenant), reranker.name, getattr(reranker, "model", ""), getattr(reranker, "address", ""),
        manner, run.search.text,
        *(str(hit.record.version) for hit in hits),
    ]  # fmt: skip
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).digest()
