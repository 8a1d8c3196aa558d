"""Retry on weak: a question that found too little is asked again in other words; what was found first stays first."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from memory.engine.fusion import reciprocal_ranks
from memory.services.questions import other_wordings
from memory.services.recalled import Hit
from memory.services.run import Run

NAME: Final = "weak_retry"
WEAK: Final = 3
"""Fewer results than this are weak, unless fewer were asked for."""
TRIES: Final = 2
LEAST_SECONDS: Final = 0.5
"""Below this much time another recall is not begun."""


def retry_weak(run: Run, again: Callable[[str], Run]) -> None:
    """Add to the results of a weak recall what `again` finds for other wordings: behind what was found, never less.

    What does not come about is said: `weak_retry:<why>` in `degraded`; `weak_retry:not_configured`,
    `:not_in_this_mode` or `:no_variants` in `notes`.
    """
    if len(run.answer.hits) >= min(WEAK, run.search.limit):
        return
    found: dict[str, list[Hit]] = {}
    wordings = other_wordings(run, NAME)[:TRIES]
    for wording in wordings:
        if run.search.deadline - time.monotonic() < LEAST_SECONDS:
            run.degrade(f"{NAME}:timeout")
            break
        answer = again(wording).answer
        found[wording] = list(answer.hits)
        run.answer.degraded += [tag for tag in answer.degraded if tag not in run.answer.degraded]
    if found and run.with_trace:
        run.answer.trace["retried"] = list(found)
    _append(run, found)


def _append(run: Run, found: dict[str, list[Hit]]) -> None:
    known = {hit.record.version for hit in run.answer.hits}
    new = {hit.record.version: hit for hits in found.values() for hit in hits if hit.record.version not in known}
    ranks = reciprocal_ranks({text: [hit.record.version for hit in hits] for text, hits in found.items()}, {})
    last = run.answer.hits[-1].score if run.answer.hits else 1.0
    for version in sorted(new, key=lambda each: (-ranks[each], each.int)):
        # scores of another question compare with nothing here; the list's fall
        last = min(last, new[version].score)
        run.answer.hits.append(replace(new[version], score=last))
    del run.answer.hits[run.search.limit :]
