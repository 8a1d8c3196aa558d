"""A real HTTP server on a free port that behaves as a script says: for tests of what calls services.

    with ScriptedServer(embeddings) as server:
        server.script(too_many(2), ok())          # then `ok` for ever
        ...                                       # requests go to server.url
        assert server.requests[0].headers["authorization"] == "Bearer k"

`answer` makes the JSON for a request that is to be answered well: `embeddings` speaks the OpenAI, Ollama and
Gemini forms with deterministic pseudo-embeddings; a test of chat completions passes a function of its own.
"""

import hashlib
import json
import re
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import numpy as np

DIMENSION = 64
HANG_SECONDS = 30.0  # the longest that a hanging request lives; closing the server ends it at once


@dataclass(frozen=True)
class Request:
    """What a client sent: `headers` with names in lower case, `json` is None when the body is none."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    json: Any


Answer = Callable[[Request], Any]


@dataclass(frozen=True)
class Behaviour:
    """How one request fares. Without a `body` the server's `answer` makes it, and `mangle` spoils it."""

    name: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    mangle: Callable[[Any], Any] | None = None
    manner: str = "answer"  # answer | hang | stall | drop | drip head | drip body


def ok() -> Behaviour:
    """The right answer."""
    return Behaviour("ok")


def status(code: int, message: str = "no", **headers: str) -> Behaviour:
    """A refusal: `code` with an OpenAI-like error object; `headers` with _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Behaviour(f"status {code}", code, named, {"error": {"message": message}})


def too_many(retry_after: int | str | None = None) -> Behaviour:
    """429, with Retry-After when given."""
    return status(429, "slow down", **({} if retry_after is None else {"Retry_After": str(retry_after)}))


def says(body: Any, code: int = 200) -> Behaviour:
    """This JSON (or these bytes) and nothing else."""
    return Behaviour("says", code, body=body)


def not_json() -> Behaviour:
    """200 with a web page, as a captive proxy answers."""
    return Behaviour("not json", headers={"Content-Type": "text/html"}, body=b"<html>hello</html>")


def redirect(url: str) -> Behaviour:
    """307 to `url`."""
    return Behaviour("redirect", 307, {"Location": url}, b"")


def hang() -> Behaviour:
    """No answer at all."""
    return Behaviour("hang", manner="hang")


def stall() -> Behaviour:
    """The head and half of the body, and then nothing."""
    return Behaviour("stall", manner="stall")


def drip(part: str) -> Behaviour:
    """The `head` or the `body` byte by byte, some each second, and without an end."""
    return Behaviour(f"drip {part}", manner=f"drip {part}")


def drop() -> Behaviour:
    """The connection closes without an answer."""
    return Behaviour("drop", manner="drop")


def wrong_dimension() -> Behaviour:
    """All vectors one component shorter."""
    return Behaviour("wrong dimension", mangle=lambda said: each_vector(said, lambda vector: vector[:-1]))


def uneven() -> Behaviour:
    """The vectors of one answer differ in length."""
    cut = iter(range(1, 10_000))
    return Behaviour("uneven", mangle=lambda said: each_vector(said, lambda vector: vector[: -next(cut)]))


def wrong_count() -> Behaviour:
    """One vector too few."""
    return Behaviour("wrong count", mangle=_one_less)


def not_a_number() -> Behaviour:
    """NaN in each vector."""
    return Behaviour("NaN", mangle=lambda said: each_vector(said, lambda vector: [float("nan"), *vector[1:]]))


def zeros() -> Behaviour:
    """Vectors of nothing but zeros."""
    return Behaviour("zeros", mangle=lambda said: each_vector(said, lambda vector: [0.0] * len(vector)))


def each_vector(said: Any, change: Callable[[list[float]], list[float]]) -> Any:
    """`said` with `change` applied to each list of numbers in it, wherever it lies."""
    if isinstance(said, dict):
        return {key: each_vector(value, change) for key, value in said.items()}
    if isinstance(said, list):
        if said and all(isinstance(entry, float) for entry in said):
            return change(said)
        return [each_vector(entry, change) for entry in said]
    return said


def _one_less(said: dict[str, Any]) -> dict[str, Any]:
    return {key: value[:-1] if isinstance(value, list) else value for key, value in said.items()}


def pseudo_embedding(text: str, dimension: int = DIMENSION) -> list[float]:
    """A vector for `text` that shared words bring closer: the sum of a fixed random direction for each word."""
    total = np.zeros(dimension)
    for word in re.findall(r"\w+", text.lower()) or [text]:
        seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8], "big")
        total += np.random.default_rng(seed).standard_normal(dimension)
    return [float(component) for component in total]


def embeddings(request: Request) -> Any:
    """The answer of OpenAI (`/embeddings`, in reverse order, to be sorted), Ollama (both) and Gemini."""
    asked = request.json
    if request.path.endswith("/api/embeddings"):
        return {"embedding": pseudo_embedding(asked["prompt"])}
    if request.path.endswith("/api/embed"):
        return {"embeddings": [pseudo_embedding(text) for text in asked["input"]]}
    if request.path.endswith(":batchEmbedContents"):
        texts = [entry["content"]["parts"][0]["text"] for entry in asked["requests"]]
        return {"embeddings": [{"values": pseudo_embedding(text)} for text in texts]}
    rows = [{"index": at, "embedding": pseudo_embedding(text)} for at, text in enumerate(asked["input"])]
    return {"object": "list", "data": rows[::-1]}


class ScriptedServer:
    """Serves until closed; each request takes the next behaviour of the script, `ok` when it is at its end."""

    def __init__(self, answer: Answer = embeddings) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self._script: deque[Behaviour] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.scripted = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        """`http://127.0.0.1:port`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def script(self, *behaviours: Behaviour) -> None:
        """Forget what was asked and what was planned, and plan `behaviours`."""
        with self._lock:
            self.requests.clear()
            self._script = deque(behaviours)

    def next(self, request: Request) -> Behaviour:
        """Record `request` and take the behaviour for it."""
        with self._lock:
            self.requests.append(request)
            return self._script.popleft() if self._script else ok()

    def wait(self) -> None:
        """Hang until the server closes."""
        self._closing.wait(HANG_SECONDS)

    def goes_on(self, seconds: float) -> bool:
        """Whether the server is still open after `seconds`."""
        return not self._closing.wait(seconds)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client keeps its connection; its thread ends with the connection
    scripted: ScriptedServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Any method: read, record, behave."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            sent = json.loads(body)
        except ValueError:
            sent = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body, sent)
        self._behave(self.server.scripted.next(request), request)

    do_GET = do_PUT = do_PATCH = do_DELETE = do_POST

    def _behave(self, behaviour: Behaviour, request: Request) -> None:
        if behaviour.manner == "drop":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if behaviour.manner == "hang":
            self.close_connection = True
            self.server.scripted.wait()
            return
        if behaviour.manner.startswith("drip"):
            self._drip(b"Content-Length: 9999999\r\n\r\n" if behaviour.manner == "drip body" else b"X-Drip: ")
            return
        content = self._content(behaviour, request)
        self.send_response(behaviour.status)
        for name, value in {"Content-Type": "application/json", **behaviour.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if behaviour.manner == "stall":
            self.close_connection = True
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            self.server.scripted.wait()
            return
        self.wfile.write(content)

    def _drip(self, begin: bytes) -> None:
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + begin)
        while self.server.scripted.goes_on(0.02):
            self.wfile.write(b" ")  # until the client hangs up

    def _content(self, behaviour: Behaviour, request: Request) -> bytes:
        said = behaviour.body
        if said is None:
            said = self.server.scripted.answer(request)
            said = behaviour.mangle(said) if behaviour.mangle else said
        return said if isinstance(said, bytes) else json.dumps(said).encode()

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""
