"""What Celery runs. Each task claims rows; running it twice, or never, does no harm."""

from celery import shared_task

from billing import attempts
from memory.services.indexing import index_pending
from memory.services.jobs import run_next
from tenants import idempotency


@shared_task(name="memory.index_pending")
def index_pending_task() -> int:
    """Index until nothing is pending; how many versions."""
    total = 0
    while done := index_pending():
        total += done
    return total


@shared_task(name="memory.run_jobs")
def run_jobs_task() -> int:
    """Run jobs until none is queued; how many."""
    total = 0
    while run_next():
        total += 1
    return total


@shared_task(name="memory.sweep")
def sweep_task() -> None:
    """Take up whatever a lost message or a dead worker left behind."""
    index_pending_task()
    run_jobs_task()
    idempotency.sweep()
    attempts.sweep()
