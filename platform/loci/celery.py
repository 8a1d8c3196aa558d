"""The Celery application. Messages only wake a worker up; the work lies in rows."""

import os
from pathlib import Path

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loci.settings")

from django.conf import settings

app = Celery("loci")
app.set_default()
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    task_ignore_result=True,
    task_acks_late=True,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    imports=["memory.tasks"],
    beat_schedule={
        "sweep": {"task": "memory.sweep", "schedule": settings.SWEEP_SECONDS, "options": {"expires": 30}},
    },
)
if settings.CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
    # a write must not wait for a broker that does not answer: the sweep finds what no message told of
    app.conf.broker_transport_options = {"socket_connect_timeout": 2, "socket_timeout": 10, "retry_on_timeout": True}
    app.conf.task_publish_retry_policy = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1}
if settings.CELERY_BROKER_URL.startswith("filesystem:"):
    folder = Path(settings.CELERY_BROKER_FOLDER)
    for name in ("messages", "control"):
        (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    app.conf.broker_transport_options = {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
    }
