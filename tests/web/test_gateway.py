"""The server between the network and Django: bodies that dawdle, break off or lie, headers that pretend."""

import contextlib
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tests.cast import Caller

pytestmark = pytest.mark.committed
ITEM = json.dumps({"items": [{"text": "Dana prefers tea."}]}).encode()


@contextmanager
def connection(base_url: str) -> Iterator[socket.socket]:
    place = urlsplit(base_url)
    assert place.hostname and place.port
    with socket.create_connection((place.hostname, place.port), timeout=20) as opened:
        yield opened


def head(caller: Caller, *lines: str, method: str = "POST", path: str = "/api/v1/memories") -> bytes:
    fixed = (f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"X-API-Key: {caller.key}", "Connection: close")
    return "\r\n".join((*fixed, "Content-Type: application/json", *lines, "", "")).encode()


def reply(opened: socket.socket) -> bytes:
    received = b""
    while chunk := opened.recv(65536):
        received += chunk
    return received


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


def test_a_chunked_body_is_taken(base_url: str, alice: Caller) -> None:
    with connection(base_url) as opened:
        opened.sendall(head(alice, "Transfer-Encoding: chunked") + chunked(ITEM[:20], ITEM[20:]))
        assert b"200 OK" in reply(opened)
    assert alice.found("tea") == ["Dana prefers tea."]


def test_a_malformed_chunk_is_refused_and_nothing_stored(base_url: str, alice: Caller) -> None:
    with connection(base_url) as opened:
        opened.sendall(head(alice, "Transfer-Encoding: chunked") + b"zz\r\n" + ITEM)
        assert b" 400 " in reply(opened).split(b"\r\n")[0]
    assert alice.found("tea") == []


def test_a_body_that_breaks_off_is_not_taken_for_whole(base_url: str, alice: Caller) -> None:
    with connection(base_url) as opened:
        opened.sendall(head(alice, f"Content-Length: {len(ITEM) + 10}") + ITEM)
        opened.shutdown(socket.SHUT_WR)
        assert b"200 OK" not in reply(opened)
    assert alice.found("tea") == []


def test_clients_that_dawdle_hold_up_nobody(base_url: str, alice: Caller) -> None:
    dawdlers = [connection(base_url) for _ in range(40)]
    opened = [dawdler.__enter__() for dawdler in dawdlers]
    for each in opened:
        each.sendall(head(alice, "Content-Length: 1000") + b"{")
    with connection(base_url) as quick:
        quick.sendall(head(alice, method="GET", path="/api/v1/status"))
        assert b"200 OK" in reply(quick)
    for dawdler in dawdlers:
        dawdler.__exit__(None, None, None)


def test_a_body_said_to_be_too_large_is_refused_unread(base_url: str, alice: Caller) -> None:
    with connection(base_url) as opened:
        opened.sendall(head(alice, f"Content-Length: {33 * 2**20}"))
        assert b" 413 " in reply(opened).split(b"\r\n")[0]


def test_a_header_with_an_underscore_does_not_pass_for_one_with_a_hyphen(base_url: str, alice: Caller) -> None:
    request = head(alice, method="GET", path="/api/v1/status").replace(b"X-API-Key", b"X_API_Key")
    with connection(base_url) as opened:
        opened.sendall(request)
        assert b" 401 " in reply(opened).split(b"\r\n")[0]


def test_bytes_beyond_ascii_in_a_query_are_refused(base_url: str, alice: Caller) -> None:
    raw = head(alice, method="GET", path="/api/v1/memories?source=@").replace(b"@", "café".encode())
    with connection(base_url) as opened:
        opened.sendall(raw)
        assert b" 400 " in reply(opened).split(b"\r\n")[0]


def test_headers_without_end_are_refused(base_url: str, alice: Caller) -> None:
    with connection(base_url) as opened:
        opened.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ")
        told = b""
        for _ in range(64):
            try:
                opened.sendall(b"a" * 16_384)
            except OSError:
                break
        with contextlib.suppress(OSError):
            told = reply(opened)
        assert told == b"" or b" 400 " in told.split(b"\r\n")[0]
    with connection(base_url) as opened:
        many = b"".join(b"X-%d: %s\r\n" % (n, b"a" * 1000) for n in range(100))
        with contextlib.suppress(OSError):
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + many + b"\r\n")
            assert b" 200 " not in reply(opened)


def test_a_head_that_does_not_come_ends_the_connection(
    base_url: str, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loci.ground.connection.HEAD_SECONDS", 0.2)
    for begun in (b"", b"GET /healthz HT"):
        with connection(base_url) as opened:
            opened.sendall(begun)
            assert reply(opened) == b""
