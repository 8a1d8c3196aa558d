"""What gets work done: the broker, the workers, what waits, the embedder, and whether what is stored fits all that."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from celery import current_app
from django.conf import settings
from kombu.exceptions import KombuError

from loci.doctor.findings import Finding, fail, ok, warn
from memory.engine.embedding import EmbedderError
from memory.engine.language_model import LanguageModelError, Message
from memory.services.spaces import in_another_space, label_of
from memory.services.status import backlog
from memory.stores import llm
from memory.stores.embedders import configured
from tenants.services.safekeeping import secrets_fit
from tenants.services.tenants import tenant_page

BROKER_SECONDS = 3
PING_SECONDS = 2.0
LATE_SECONDS = 120.0
LOOKED_AT = 500


def check_broker() -> Iterator[Finding]:
    """Whether wake-up messages get through."""
    if settings.CELERY_BROKER_URL.startswith("filesystem:"):
        yield _folder(Path(settings.CELERY_BROKER_FOLDER))
        return
    with current_app.connection_for_write() as broker:
        address = broker.as_uri()  # with the password masked
        try:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)
        except (KombuError, OSError, *broker.connection_errors) as error:
            remedy = "Start the broker, or correct CELERY_BROKER_URL. Until then work waits for the beat's next sweep."
            yield fail("broker", f"{address} does not answer: {type(error).__name__}", remedy)
            return
    yield ok("broker", f"{address} answers")


def _folder(folder: Path) -> Finding:
    if not os.access(folder, os.W_OK | os.X_OK):
        return fail("broker", f"{folder} cannot be written to", "Give web, worker and beat the right to write there.")
    if settings.SERVED:
        return warn("broker", "messages lie in files", "Fine on one machine; on several use Redis (CELERY_BROKER_URL).")
    return ok("broker", "messages lie in files")


def check_workers() -> Iterator[Finding]:
    """Which workers answer over the broker."""
    try:
        answers = current_app.control.ping(timeout=PING_SECONDS)
    except Exception as error:  # each transport has exceptions of its own
        yield warn("workers", f"cannot be asked: {type(error).__name__}", "See to the broker first.")
        return
    names = sorted(name for answer in answers for name in answer)
    if names:
        yield ok("workers", f"{len(names)} answer(s): {', '.join(names)}")
    else:
        remedy = "Start `python -m loci.serve worker` and `… beat`; without them jobs stay queued."
        yield warn("workers", "none answers", remedy)


def check_backlog() -> Iterator[Finding]:
    """What waits, and since when."""
    waiting = backlog()
    said = f"{waiting.index_tasks} to index, {waiting.jobs} job(s)"
    if waiting.oldest_task_seconds > LATE_SECONDS:
        remedy = "See that worker and beat run, and why the embedder fails (their logs say)."
        yield warn("backlog", f"{said}; the oldest waits for {waiting.oldest_task_seconds:.0f} s", remedy)
    else:
        yield ok("backlog", said)


def check_embedder() -> Iterator[Finding]:
    """Whether the embedder, its weights included, gives a vector for a question."""
    began = time.perf_counter()
    try:
        embedder = configured()
        if not embedder.enabled:
            yield ok("embedder", "none: memories are found by their words only")
            return
        embedder.embed_query("Is anyone there?")
        label = label_of(embedder)
    except EmbedderError as error:
        yield fail("embedder", str(error), "docs/embedders.md says what each embedder needs.")
        return
    yield ok("embedder", f"{label}, the first question in {time.perf_counter() - began:.1f} s")


def check_language_model() -> Iterator[Finding]:
    """Whether the operator's language model, if there is one, answers."""
    began = time.perf_counter()
    try:
        model = llm.configured()
        if model is None:
            yield ok("language model", "none: what needs one is left out, unless a tenant has its own")
            return
        question = [Message("user", "Answer with the word yes.")]
        model.chat(question, max_tokens=200, deadline=time.monotonic() + settings.LLM_TIMEOUT)
    except LanguageModelError as error:
        yield fail("language model", str(error), "docs/language-models.md says what each provider needs.")
        return
    yield ok("language model", f"{model.name} ({model.model}), an answer in {time.perf_counter() - began:.1f} s")


def check_spaces() -> Iterator[Finding]:
    """Whether tenants' vectors lie in the embedder's space."""
    embedder = configured()
    if not embedder.enabled:
        return
    tenants = tenant_page(None, LOOKED_AT)
    strangers = in_another_space(tenants, embedder)
    if strangers:
        remedy = "Set EMBEDDER back, or `manage.py reindex`; until then their writes are refused."
        yield fail("spaces", f"{len(strangers)} tenant(s) were embedded by another model", remedy)
    else:
        yield ok("spaces", f"{len(tenants)} tenant(s) looked at, none embedded by another model")


def check_safekeeping() -> Iterator[Finding]:
    """Whether the secrets of the environment fit what the database holds."""
    faults = secrets_fit(tenant_page(None, LOOKED_AT)).faults()
    for fault in faults:
        yield fail("stored secrets", fault, "Put the former value back beside the new one (docs/deployment.md).")
    if not faults:
        yield ok("stored secrets", "open with the secrets of the environment")
