"""Wake a worker up. The work itself lies in rows: a lost message loses nothing, the sweeper finds the row."""

import structlog
from celery import current_app
from kombu.exceptions import KombuError

log = structlog.get_logger(__name__)


def index() -> None:
    """There are index tasks."""
    _send("memory.index_pending")


def jobs() -> None:
    """There are jobs."""
    _send("memory.run_jobs")


def _send(name: str) -> None:
    try:
        current_app.send_task(name, ignore_result=True)
    except (KombuError, OSError) as error:
        log.warning("wakeup_failed", task=name, reason=type(error).__name__)
