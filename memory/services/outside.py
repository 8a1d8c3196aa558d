"""Retrievers of the operator's own: asked beside Loci's arms, and believed only as far as their hits can be proven."""

import math
import re
from functools import lru_cache, partial
from typing import Final

import structlog
from django.conf import settings

from memory.engine.plugins import Found, OwnRetriever, PluginError, Question, at_path
from memory.engine.tuning import ARMS, SEED_ARMS
from memory.services.patience import Late, within
from memory.services.run import POOL, Run

log = structlog.get_logger(__name__)
SHARE: Final = 0.3
"""Of what is left of the deadline, one of them may take this."""
NAME: Final = re.compile(r"[a-zA-Z]\w{0,31}", re.ASCII)
TAKEN: Final = {*ARMS, *SEED_ARMS, "expansion", "neighbours"}


@lru_cache(maxsize=8)
def _made(paths: tuple[str, ...]) -> tuple[OwnRetriever, ...]:
    found: list[OwnRetriever] = []
    for path in paths:
        try:
            made = at_path(path)()
        except PluginError as fault:
            raise PluginError(f"RETRIEVERS: {fault}") from fault
        if not isinstance(made, OwnRetriever):
            raise PluginError(f"RETRIEVERS: {path} has no name or no find()")
        if not NAME.fullmatch(made.name) or made.name in TAKEN or made.name in {one.name for one in found}:
            raise PluginError(f"RETRIEVERS: {path} is called '{made.name}', which is no name or taken")
        found.append(made)
    return tuple(found)


def configured() -> tuple[OwnRetriever, ...]:
    """The retrievers that RETRIEVERS names. Raises `PluginError`."""
    return _made(tuple(settings.RETRIEVERS))


def ask_outside(run: Run) -> None:
    """Ask each of them, before any connection is taken. What is late or fails is left out and named in `degraded`."""
    for one in configured():
        if not run.takes(one.name):
            continue
        seconds = max(0.0, run.remaining * SHARE)
        question = Question(run.scope.tenant, run.search.text, max(POOL, run.search.limit), seconds)
        try:
            found = run.timed(one.name, partial(within, seconds, partial(_found, one, question)))
        except Late:
            run.degrade(f"retriever:{one.name}:timeout")
        except Exception as error:  # somebody else's code may raise anything
            log.exception("own_retriever_failed", retriever=one.name, reason=type(error).__name__)
            run.degrade(f"retriever:{one.name}:failed")
        else:
            run.outside[one.name] = found


def _found(one: OwnRetriever, question: Question) -> list[Found]:
    """Its answer, read while there is patience: it may be lazy, too long, or name a memory twice."""
    best: dict[object, Found] = {}
    for hit in list(one.find(question))[: question.count]:
        if math.isfinite(score := float(hit.score)):
            best.setdefault(hit.memory, Found(hit.memory, score))
    return sorted(best.values(), key=lambda hit: (-hit.score, hit.memory.int))
