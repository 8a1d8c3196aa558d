"""Requests that are broken as HTTP: refused as their sender's fault, nothing stored, nothing logged as our error."""

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import pytest
from django.test import Client
from gunicorn.http.body import Body, ChunkedReader, LengthReader
from gunicorn.http.unreader import SocketUnreader

from tests.api.answers import problem, stored_rows
from tests.cast import Caller

WRITE = json.dumps({"items": [{"text": "The parrot sings."}]}).encode()


@pytest.fixture(autouse=True)
def nothing_is_an_error_of_ours(no_errors_logged: None) -> None:
    pass


@contextmanager
def sent(raw: bytes, length: int | None) -> Iterator[tuple[IO[bytes], socket.socket]]:
    """What the web server's own reader makes of `raw` from a peer that then stops sending; and the server's socket."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(raw)
        theirs.shutdown(socket.SHUT_WR)
        unreader = SocketUnreader(ours)
        yield Body(ChunkedReader(None, unreader) if length is None else LengthReader(unreader, length)), ours


def post(caller: Caller, raw: bytes, length: int | None = None) -> Any:
    """The answer to a write whose body arrives as `raw`: in chunks, or with a Content-Length."""
    with sent(raw, length) as (body, connection):
        framing = {"HTTP_TRANSFER_ENCODING": "chunked"} if length is None else {"CONTENT_LENGTH": str(length)}
        return Client().generic(
            "POST", "/api/v1/memories", b"", headers={"X-API-Key": caller.key},
            **{"CONTENT_TYPE": "application/json", "wsgi.input": body, "wsgi.input_terminated": True,
               "gunicorn.socket": connection, **framing},
        )  # fmt: skip


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def test_a_body_in_chunks_is_taken(alice: Caller) -> None:
    assert post(alice, chunk(WRITE[:9]) + chunk(WRITE[9:]) + b"0\r\n\r\n").status_code == 200
    assert alice.found("parrot") == ["The parrot sings."]


@pytest.mark.parametrize(
    "raw",
    [
        b"zz\r\n" + WRITE,
        b"-5\r\n" + WRITE,
        b"\r\n" + WRITE,
        b"5 \r\n" + WRITE,
        chunk(WRITE)[:-2] + b"xx0\r\n\r\n",
        chunk(WRITE),
        chunk(WRITE) + b"0\r\n",
        chunk(WRITE) + b"5\r\n",
        chunk(WRITE[:-5]) + b"5\r\n" + WRITE[-5:-2],
        b"",
    ],
)
def test_a_malformed_or_missing_chunk_is_the_senders_fault(alice: Caller, raw: bytes) -> None:
    answer = problem(post(alice, raw), 400, "body_broken")
    assert "chunks are malformed" in answer["detail"]
    assert stored_rows(alice.tenant) == {}


def test_after_a_malformed_chunk_nothing_more_is_read_from_the_connection(alice: Caller) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"zz\r\n")
        body = Body(ChunkedReader(None, SocketUnreader(ours)))
        Client().generic(
            "POST", "/api/v1/memories", b"",
            **{"wsgi.input": body, "wsgi.input_terminated": True, "gunicorn.socket": ours,
               "HTTP_TRANSFER_ENCODING": "chunked"},
        )  # fmt: skip
        with pytest.raises(BrokenPipeError):
            theirs.sendall(b"POST /api/v1/memories HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize("missing", [1, 1000])
def test_a_body_shorter_than_its_length_is_no_whole_one(alice: Caller, missing: int) -> None:
    answer = problem(post(alice, WRITE, len(WRITE) + missing), 400, "body_broken")
    assert f"{missing} bytes before its Content-Length" in answer["detail"]
    assert stored_rows(alice.tenant) == {}


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_a_form_shorter_than_its_length_is_refused(db: None, content_type: str) -> None:
    form = b"--x\r\nContent-Disposition: form-data; name=email\r\n\r\nmira@acme.example"
    token = "a" * 32
    for client in (Client(), Client(enforce_csrf_checks=True)):
        client.cookies["csrftoken"] = token
        with sent(form, len(form) + 9) as (body, _):
            answer = client.generic(
                "POST", "/sign-in", b"",
                **{"CONTENT_TYPE": content_type, "wsgi.input": body, "CONTENT_LENGTH": str(len(form) + 9)},
            )  # fmt: skip
        assert answer.status_code == 400


@pytest.mark.parametrize("path", ["/healthz", "/sign-in", "/api/v1/status", "/nothing"])
@pytest.mark.parametrize("host", ["evil.example", "a b", "127.0.0.1:port", "[::1", "\xff"])
def test_a_host_that_is_not_ours_is_refused_in_one_line(
    db: None, path: str, host: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert Client(raise_request_exception=False).get(path, headers={"Host": host}).status_code == 400
    (refused,) = [record for record in caplog.records if record.name.startswith("django.security")]
    assert (refused.levelno, refused.exc_info) == (logging.WARNING, None)


@pytest.mark.parametrize("kind", ["DisallowedHost", "SuspiciousFileOperation", "TooManyFieldsSent", "csrf"])
def test_nothing_that_is_refused_as_suspicious_is_logged_as_an_error(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger(f"django.security.{kind}").error("odd " * 200, exc_info=ValueError("odd"))
    (record,) = caplog.records
    assert (record.levelno, record.levelname, record.exc_info) == (logging.WARNING, "WARNING", None)
    assert len(record.getMessage()) == 300


def test_more_fields_than_a_form_may_have_are_refused(db: None) -> None:
    assert Client().post("/sign-in", {f"f{n}": "" for n in range(1001)}).status_code == 400
