"""gunicorn's limits on what a peer sends (`-c python:loci.webserver`). How many processes and threads there are, and
where they listen, stands on its command line."""

import errno
import logging
import os
import socket
import struct
import sys
from typing import Any

SILENCE = float(os.environ.get("WEB_SILENCE") or 30)
"""Seconds for which a peer may be silent in the middle of a request or of taking its answer."""

worker_class = "gthread"
# the most that there is: a source of 2,500 bytes fits, percent-encoded
limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 8190


def when_ready(server: Any) -> None:
    """Let the kernel end what is silent: gunicorn's `--timeout` looks after processes, and a thread would wait for the
    rest of a request for ever. Connections inherit it from their listener."""
    patience = struct.pack("@ll", int(SILENCE), int(SILENCE % 1 * 1_000_000))
    for listener in server.LISTENERS:
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, option, patience)
    logging.getLogger("gunicorn.error").addFilter(tells_of_us)


def tells_of_us(record: logging.LogRecord) -> bool:
    """Whether a line of gunicorn's log tells more than that a peer was silent or sent what is no request."""
    error = sys.exc_info()[1]
    return not (record.exc_info and isinstance(error, OSError) and error.errno in (errno.EAGAIN, errno.EWOULDBLOCK))
