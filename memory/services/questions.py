"""What a language model makes of a question before it is asked of the memory: the question in full after a
conversation, other ways to ask it, a note that might answer it. Each is asked for by the request."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import structlog

from memory.engine.embedding import Embedder, EmbedderError
from memory.engine.expansion import hypothetical, rewritten, variants
from memory.engine.language_model import LanguageModel, LanguageModelError, Message
from memory.engine.ports import Embedding
from memory.engine.shape import shape_of
from memory.retrievers.imagined import EXPANSION, HYDE
from memory.services.models import language_model
from memory.services.patience import Busy, Late, asking
from memory.services.run import Run
from memory.stores.embedders import configured

log = structlog.get_logger(__name__)
T = TypeVar("T")
SHARE: Final = 0.4
"""Of what is left of the deadline, what one call may take."""
LITERAL: Final = frozenset({"raw", "exact"})
"""Modes whose query is taken to the letter: other words would be another query, or none that can be read."""


@dataclass(frozen=True, slots=True)
class Help:
    """What a request wants made of its question. `history`: the conversation before it, oldest first."""

    history: Sequence[Message] = ()
    expand: bool = False
    hyde: bool = False


NO_HELP: Final = Help()


def help_with(run: Run, wanted: Help) -> None:
    """Ask the language model for what is wanted, before any connection is taken. What fails is left out, and `degraded`
    says `rewrite:<why>`, `expansion:<why>` or `hyde:<why>`; without a model `notes` say `…:not_configured`, and
    `rewrite:not_in_this_mode` where the query is taken to the letter."""
    rewrites = bool(wanted.history) and not _to_the_letter(run, "rewrite")
    steps = [name for name, asked in (("rewrite", rewrites), (EXPANSION, wanted.expand), (HYDE, wanted.hyde)) if asked]
    if not steps:
        return
    model = _model(run, steps)
    if model is None:
        return
    if rewrites:
        _rewrite(run, model, wanted.history)
    embedder = configured()
    if embedder.enabled and wanted.expand and run.takes(EXPANSION):
        _expand(run, model, embedder)
    if embedder.enabled and wanted.hyde and run.takes(HYDE):
        _imagine(run, model, embedder)


def _to_the_letter(run: Run, name: str) -> bool:
    """Whether the query must stay as it is, which is then said of the part `name`."""
    literal = run.search.mode in LITERAL
    if literal:
        run.answer.notes.append(f"{name}:not_in_this_mode")
    return literal


def _model(run: Run, steps: Sequence[str]) -> LanguageModel | None:
    """The language model in force; None, which is said of each of `steps`, when there is none that can be used."""
    try:
        model = language_model(run.scope)
    except LanguageModelError as error:
        log.warning("language_model_unusable", reason=str(error)[:200])
        for name in steps:
            run.degrade(f"{name}:{error.kind}")
        return None
    if model is None:
        run.answer.notes.extend(f"{name}:not_configured" for name in steps)
    return model


def _rewrite(run: Run, model: LanguageModel, history: Sequence[Message]) -> None:
    text = run.search.text
    whole = _tried(run, "rewrite", lambda deadline: rewritten(model, text, history, deadline=deadline))
    if whole is not None and whole != text:
        run.search, run.shape = replace(run.search, text=whole), shape_of(whole)
        run.made["rewritten"] = whole


def _expand(run: Run, model: LanguageModel, embedder: Embedder) -> None:
    text = run.search.text

    def embedded(deadline: float) -> tuple[list[str], list[Embedding]]:
        found = variants(model, text, deadline=deadline)
        return found, [embedder.embed_query(each) for each in found]

    done = _tried(run, EXPANSION, embedded)
    if done and done[0]:
        run.made["variants"], run.imagined[EXPANSION] = done


def _imagine(run: Run, model: LanguageModel, embedder: Embedder) -> None:
    text = run.search.text

    def embedded(deadline: float) -> tuple[str, list[Embedding]]:
        note = hypothetical(model, text, deadline=deadline)
        # as a document: it is to lie where the answer lies
        return note, [embedder.embed_documents([note])[0]]

    if done := _tried(run, HYDE, embedded):
        run.made["hypothetical"], run.imagined[HYDE] = done


def other_wordings(run: Run, name: str) -> list[str]:
    """Up to 3 other ways to ask, for a part of recall called `name`; none without a model or when it fails, which is
    said as in `help_with`."""
    if _to_the_letter(run, name):
        return []
    model = _model(run, [name])
    if model is None:
        return []
    text = run.search.text
    found = _tried(run, name, lambda deadline: variants(model, text, deadline=deadline))
    if found == []:
        run.answer.notes.append(f"{name}:no_variants")
    return found or []


def _tried(run: Run, name: str, work: Callable[[float], T]) -> T | None:
    """What `work` comes to within its share of the deadline; None when it fails, which is said."""
    patience = max(0.0, run.search.deadline - time.monotonic()) * SHARE
    deadline = time.monotonic() + patience
    try:
        return run.timed(name, lambda: asking(run.scope.tenant, patience, lambda: work(deadline)))
    except LanguageModelError as error:
        log.warning("language_model_failed", part=name, reason=str(error)[:200])
        why = error.kind
    except EmbedderError as error:
        log.warning("embedder_failed", part=name, reason=str(error)[:200])
        why = "embedder"
    except Late:
        why = "timeout"
    except Busy:
        why = "busy"
    except Exception as error:  # a model or embedder of one's own may raise anything
        log.exception("language_model_failed", part=name, reason=type(error).__name__)
        why = "failed"
    run.degrade(f"{name}:{why}")
    return None
