"""Structured logs on standard error. They carry ids and counts, never a secret or a memory's text."""

import logging
import sys
import traceback
from typing import Any

import structlog


class Record(logging.LogRecord):
    """What one call logs. What Django refused as suspicious is a warning of one line: the caller did it, and so it is
    no error of ours; yet an operator who left a host out of ALLOWED_HOSTS wants to see it."""

    def __init__(self, name: str | None, level: int, *args: Any, **more: Any):
        super().__init__(name or "", level, *args, **more)  # copies are made from an empty one
        if self.name.startswith("django.security") and level >= logging.ERROR:
            self.levelno, self.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
            self.msg, self.args, self.exc_info = self.getMessage()[:300], (), None


def discreet(logger: Any, name: str, event: dict[str, Any]) -> dict[str, Any]:
    """Puts an exception down as the places that it came through and the kinds of it and of its causes. Not its
    message: databases and validators repeat values in theirs, and a value may be a memory's text."""
    given = event.pop("exc_info", None)
    if not given:
        return event
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    lines: list[str] = []
    while isinstance(error, BaseException):
        lines += [line.rstrip() for line in traceback.format_tb(error.__traceback__)]
        state = getattr(error, "sqlstate", None)
        lines.append(f"{type(error).__module__}.{type(error).__qualname__}{f' ({state})' if state else ''}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if lines:
        event["exception"] = "\n".join(lines)
    return event


def configure(options: dict[str, Any]) -> None:
    """Set up structlog and the standard library's logging alike; `options["level"]` is the least level shown."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        discreet,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(options["level"])
    # a 4xx is the caller's affair: Django would log each as a warning
    logging.getLogger("django.request").setLevel(logging.ERROR)
    logging.setLogRecordFactory(Record)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    # it tells of the beginning and end of each request
    logging.getLogger("mcp").setLevel(logging.WARNING)
    # it tells of each attempt to connect; the caller tells of the failure
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
