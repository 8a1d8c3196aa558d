"""The adapters that are HTTP services, over real HTTP, in all the ways a service goes wrong."""

import json
import logging
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest
from prometheus_client import REGISTRY

from memory.engine.embedding import EmbedderError, WrongDimension
from memory.stores.embedders.adapter import EmbedderConfig
from memory.stores.embedders.gemini import Gemini
from memory.stores.embedders.http import ServiceClient
from memory.stores.embedders.ollama import Ollama
from memory.stores.embedders.openai import OpenAI, base_url
from memory.stores.embedders.service import Service
from memory.stores.outbound.client import retry_after
from tests.embedders.conftest import SERVICES, Clock
from tests.servers.scripted import (
    Behaviour,
    ScriptedServer,
    drop,
    hang,
    not_a_number,
    not_json,
    ok,
    redirect,
    says,
    stall,
    status,
    too_many,
    uneven,
    wrong_count,
    wrong_dimension,
    zeros,
)

CLASSES: dict[str, Any] = {"openai": OpenAI, "ollama": Ollama, "gemini": Gemini}
KEY = "sk-very-secret-0123456789"
TEXTS = ["one thing", "another thing", "a third one"]


def build(kind: str, server: ScriptedServer, clock: Clock, **changes: Any) -> Service:
    """The adapter on the scripted server, on a clock that does not really wait."""
    settings: dict[str, Any] = {"url": server.url, "api_key": KEY, "timeout": 5.0, "batch_size": 32} | changes
    service: Service = CLASSES[kind](EmbedderConfig(kind, **settings), patience=clock.patience())
    return service


@pytest.fixture(params=SERVICES)
def kind(request: pytest.FixtureRequest) -> str:
    """Each service in turn."""
    found: str = request.param
    return found


def sample(name: str, **labels: str) -> float:
    """The present value of a metric."""
    return REGISTRY.get_sample_value(name, labels) or 0.0


@pytest.mark.parametrize("passing", [status(500), status(503), too_many(), drop()], ids=lambda b: b.name)
def test_what_passes_is_tried_again(kind: str, server: ScriptedServer, clock: Clock, passing: Behaviour) -> None:
    service = build(kind, server, clock)
    server.script(passing, passing, ok())
    assert service.embed_documents(TEXTS).shape == (3, 64)
    assert len(server.requests) == 3
    assert clock.waits == [0.5, 1.0]


@pytest.mark.parametrize(
    ("passing", "outcome"),
    [(too_many(), "rate_limited"), (drop(), "connect"), (status(503, "overloaded"), "server_error")],
    ids=["429", "drop", "503"],
)
def test_three_tries_and_no_more(server: ScriptedServer, clock: Clock, passing: Behaviour, outcome: str) -> None:
    service = build("openai", server, clock)
    server.script(*[passing] * 5)
    failures = sample("loci_embedder_failures_total", provider="openai", outcome=outcome)
    tries = sample("loci_embedder_request_seconds_count", provider="openai", outcome=outcome)
    with pytest.raises(EmbedderError, match=r"embedder openai \(text-embedding-3-small\)") as caught:
        service.embed_documents(TEXTS)
    assert (caught.value.kind, caught.value.retryable) == (outcome, True)
    assert len(server.requests) == 3
    assert sample("loci_embedder_failures_total", provider="openai", outcome=outcome) == failures + 1
    assert sample("loci_embedder_request_seconds_count", provider="openai", outcome=outcome) == tries + 3


@pytest.mark.parametrize("behaviour", [hang(), stall()], ids=lambda b: b.name)
def test_time_out(server: ScriptedServer, clock: Clock, behaviour: Behaviour) -> None:
    service = build("openai", server, clock, timeout=0.1)
    server.script(behaviour, behaviour, behaviour, behaviour)
    with pytest.raises(EmbedderError, match=r"no answer from http://127.0.0.1:\d+ within 0.1 s") as caught:
        service.embed_documents(["x"])
    assert (caught.value.kind, caught.value.retryable, len(server.requests)) == ("timeout", True, 3)


def test_recovers_from_a_time_out(server: ScriptedServer, clock: Clock) -> None:
    service = build("openai", server, clock, timeout=0.2)
    server.script(hang(), ok())
    assert service.embed_documents(["x"]).shape == (1, 64)


def test_a_question_has_one_budget_for_all_its_tries(server: ScriptedServer, clock: Clock) -> None:
    service = build("openai", server, clock, timeout=1.2)
    server.script(status(500), status(500), ok())
    with pytest.raises(EmbedderError, match="answered 500"):
        service.embed_query("x")
    assert len(server.requests) == 2
    assert clock.waits == [0.5]


def test_nobody_listens(clock: Clock) -> None:
    with ScriptedServer() as gone:
        pass
    with pytest.raises(EmbedderError, match=r"ConnectError.*EMBEDDER_URL") as caught:
        build("ollama", gone, clock).embed_query("x")
    assert (caught.value.kind, caught.value.retryable) == ("connect", True)


def test_retry_after_is_honoured(kind: str, server: ScriptedServer, clock: Clock) -> None:
    service = build(kind, server, clock, timeout=60)
    server.script(too_many(7), ok())
    service.embed_query("x")
    assert clock.waits == [7.0]


def test_a_long_retry_after_is_passed_on(server: ScriptedServer, clock: Clock) -> None:
    service = build("openai", server, clock)
    server.script(too_many(3600))
    with pytest.raises(EmbedderError, match="answered 429: slow down") as caught:
        service.embed_documents(["x"])
    assert (caught.value.retry_after, caught.value.retryable, clock.waits) == (3600, True, [])


def test_retry_after_forms() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 25 < (retry_after(later) or 0) <= 30
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert retry_after(" 5 ") == 5
    for odd in ("", "soon", "-5", "1e9", "²", "Wed, 99 Oct 2015"):
        assert retry_after(odd) is None


@pytest.mark.parametrize("code", [400, 404, 413, 422])
def test_a_refusal_is_final(server: ScriptedServer, clock: Clock, code: int) -> None:
    service = build("openai", server, clock)
    server.script(status(code, "this model is unknown"))
    with pytest.raises(EmbedderError, match=f"answered {code}: this model is unknown; check EMBEDDER_URL") as caught:
        service.embed_documents(TEXTS)
    assert (caught.value.kind, caught.value.retryable, len(server.requests)) == ("client_error", False, 1)


def test_a_redirect_is_refused(kind: str, server: ScriptedServer, clock: Clock) -> None:
    with ScriptedServer() as other:
        server.script(redirect(other.url + "/v1/embeddings"))
        with pytest.raises(EmbedderError, match="redirects are refused; set EMBEDDER_URL to the final") as caught:
            build(kind, server, clock).embed_query("x")
        assert (caught.value.kind, caught.value.retryable, other.requests) == ("redirect", False, [])


@pytest.mark.parametrize(
    ("behaviour", "says_so"),
    [
        (wrong_count(), "vectors for . text|indices|no vectors"),
        (not_a_number(), "NaN"),
        (zeros(), "all zeros"),
        (not_json(), "not JSON"),
        (says({"hello": 1}), "no vectors under"),
        (says([1, 2]), "no vectors under"),
        (says(b""), "not JSON"),
        (says({"data": [{"embedding": ["a", "b"]}] * 3, "embeddings": [["a", "b"]] * 3}), "numbers|no vectors|indices"),
        (says({"data": [{"embedding": []}] * 3, "embeddings": [[]] * 3}), "no vectors"),
        (says({"data": [{"embedding": [None, 1.0]}] * 3, "embeddings": [[None, 1.0]] * 3}), "NaN|no vectors|numbers"),
    ],
    ids=["count", "NaN", "zeros", "page", "object", "list", "nothing", "words", "empty", "null"],
)
def test_a_bad_answer(kind: str, server: ScriptedServer, clock: Clock, behaviour: Behaviour, says_so: str) -> None:
    service = build(kind, server, clock)
    server.script(*[behaviour] * 8)
    with pytest.raises(EmbedderError, match=says_so) as caught:
        service.embed_documents(TEXTS)
    assert caught.value.kind == "malformed"


def test_wrong_dimension_names_both(kind: str, server: ScriptedServer, clock: Clock) -> None:
    service = build(kind, server, clock)
    assert service.dimension == 64
    server.script(wrong_dimension())
    before = sample("loci_embedder_failures_total", provider=kind, outcome="wrong_dimension")
    with pytest.raises(WrongDimension, match="dimension 64, got 63") as caught:
        service.embed_documents(TEXTS)
    assert (caught.value.expected, caught.value.got, caught.value.retryable) == (64, 63, False)
    assert sample("loci_embedder_failures_total", provider=kind, outcome="wrong_dimension") == before + 1
    assert service.dimension == 64


def test_uneven_vectors(server: ScriptedServer, clock: Clock) -> None:
    server.script(uneven())
    with pytest.raises(WrongDimension):
        build("openai", server, clock).embed_documents(TEXTS)


def test_the_dimension_is_probed_and_not_guessed(kind: str, server: ScriptedServer, clock: Clock) -> None:
    service = build(kind, server, clock, model="text-embedding-3-large")
    assert server.requests == []
    assert service.dimension == 64
    assert len(server.requests) == 1
    assert service.dimension == 64 and service.space.startswith("es1:")
    assert len(server.requests) == 1


def test_a_probe_that_fails_is_asked_again(server: ScriptedServer, clock: Clock) -> None:
    service = build("openai", server, clock)
    server.script(status(400))
    with pytest.raises(EmbedderError):
        _ = service.space
    assert service.dimension == 64


def test_batches_keep_their_order(kind: str, server: ScriptedServer, clock: Clock) -> None:
    service = build(kind, server, clock, batch_size=2)
    texts = [f"text number {at}" for at in range(7)]
    vectors = service.embed_documents(texts)
    assert len(server.requests) == 4
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_allclose(service.embed_documents([text])[0], vector, atol=1e-6)


def test_gemini_takes_a_hundred_and_is_told_the_task(server: ScriptedServer, clock: Clock) -> None:
    service = build("gemini", server, clock, batch_size=1000)
    service.embed_documents(["x"] * 230)
    assert [len(request.json["requests"]) for request in server.requests] == [100, 100, 30]
    first = server.requests[0]
    assert first.path == "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    assert first.headers["x-goog-api-key"] == KEY and "authorization" not in first.headers
    assert first.json["requests"][0] == {
        "model": "models/gemini-embedding-001",
        "content": {"parts": [{"text": "x"}]},
        "taskType": "RETRIEVAL_DOCUMENT",
    }
    service.embed_query("x")
    assert server.requests[-1].json["requests"][0]["taskType"] == "RETRIEVAL_QUERY"
    two = build("gemini", server, clock, model="models/gemini-embedding-2")
    two.embed_query("x")
    asked = server.requests[-1].json["requests"][0]
    assert "taskType" not in asked
    assert asked["content"]["parts"][0]["text"] == "task: search result | query: x"


def test_openai_request(server: ScriptedServer, clock: Clock) -> None:
    service = build("openai", server, clock, model="intfloat/e5-small")
    service.embed_documents(["x", "", "half \ud83d"])
    request = server.requests[0]
    assert (request.method, request.path) == ("POST", "/v1/embeddings")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    texts = ["passage: x", "passage: .", "passage: half  "]
    assert request.json == {"model": "intfloat/e5-small", "input": texts, "encoding_format": "float"}
    service.embed_query("x")
    assert server.requests[1].json["input"] == ["query: x"]
    build("openai", server, clock, api_key="").embed_query("x")
    assert "authorization" not in server.requests[-1].headers


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("", "https://api.openai.com/v1"),
        ("http://h:1", "http://h:1/v1"),
        ("http://h:1/", "http://h:1/v1"),
        ("http://h:1/v1/", "http://h:1/v1"),
        ("http://h:1/v1/embeddings", "http://h:1/v1"),
        ("http://h/llm", "http://h/llm/v1"),
        ("https://g.example/v1beta/openai/", "https://g.example/v1beta/openai"),
        ("http://v1.example", "http://v1.example/v1"),
    ],
)
def test_openai_base_url(url: str, base: str) -> None:
    assert base_url(url) == base


def test_ollama_asks_text_by_text_when_one_spoils_the_batch(server: ScriptedServer, clock: Clock) -> None:
    service = build("ollama", server, clock)
    nan = says({"error": "failed to encode response: json: unsupported value: NaN"}, 500)
    server.script(nan)
    assert service.embed_documents(TEXTS).shape == (3, 64)
    assert [len(request.json["input"]) for request in server.requests] == [3, 1, 1, 1]
    assert server.requests[1].json["input"] == ["search_document: one thing"]
    assert clock.waits == []
    server.script(wrong_count())
    assert service.embed_documents(TEXTS).shape == (3, 64)
    server.script(nan, ok(), nan)
    with pytest.raises(EmbedderError, match="NaN"):
        service.embed_documents(TEXTS)


def test_ollama_before_0_3(server: ScriptedServer, clock: Clock) -> None:
    service = build("ollama", server, clock, url=server.url + "/api")
    server.script(says(b"404 page not found", 404))
    assert service.embed_documents(TEXTS).shape == (3, 64)
    paths = [request.path for request in server.requests]
    assert paths == ["/api/embed", "/api/embeddings", "/api/embeddings", "/api/embeddings"]
    service.embed_query("x")
    assert server.requests[-1].path == "/api/embeddings"


def test_ollama_without_the_model(server: ScriptedServer, clock: Clock) -> None:
    server.script(says({"error": 'model "nomic-embed-text" not found, try pulling it first'}, 404))
    with pytest.raises(EmbedderError, match="run `ollama pull nomic-embed-text` there"):
        build("ollama", server, clock).embed_documents(TEXTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "behaviour", [status(401, f"bad key {KEY}"), status(400, f"bad key {KEY}"), status(500, KEY), drop(), not_json()]
)
def test_the_key_shows_nowhere(
    kind: str, server: ScriptedServer, clock: Clock, behaviour: Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    service = build(kind, server, clock)
    server.script(*[behaviour] * 5)
    with caplog.at_level(logging.DEBUG), pytest.raises(EmbedderError) as caught:
        service.embed_query("x")
    error: BaseException | None = caught.value
    shown = [caplog.text, repr(service), repr(service.client), repr(service.config), *traceback.format_exception(error)]
    while error is not None:
        shown += [str(error), repr(error), repr(vars(error))]
        error = error.__cause__ or error.__context__
    assert KEY not in "".join(shown)


@pytest.mark.parametrize("key", ["with space", "new\nline", "kläy"])
def test_a_key_that_is_none(key: str) -> None:
    with pytest.raises(EmbedderError, match="set EMBEDDER_API_KEY anew") as caught:
        OpenAI(EmbedderConfig("openai", api_key=key))
    assert key not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://h/x", "file:///etc/passwd", "http://"])
def test_a_url_that_is_none(url: str) -> None:
    with pytest.raises(EmbedderError, match="not an http or https address"):
        Ollama(EmbedderConfig("ollama", url=url))


def test_a_password_in_the_url_does_not_show() -> None:
    client = ServiceClient("p", "m", "https://me:word@h.example:8/v1?q=1", timeout=1)
    assert client.place == "https://h.example:8"
    assert "word" not in repr(client)


def test_an_endless_answer_is_cut(server: ScriptedServer, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.stores.outbound.client.MAX_BYTES", 1000)
    server.script(says(json.dumps(["x" * 5000]).encode()))
    with pytest.raises(EmbedderError, match="over 1000 bytes"):
        build("openai", server, clock).embed_query("x")


def test_connections_are_kept(server: ScriptedServer, clock: Clock) -> None:
    service = build("openai", server, clock)
    for _ in range(5):
        service.embed_query("x")
    pool = service.client._client._transport._pool  # type: ignore[attr-defined]
    assert len(pool.connections) == 1


def test_jitter_leaves_out_half_at_most() -> None:
    low, high = Clock().patience(), Clock().patience()
    assert high.wait(1, None) == 0.5
    object.__setattr__(low, "chance", lambda: 0.0)
    assert low.wait(2, None) == 0.5
    assert high.wait(30, None) == 20.0
    assert high.wait(1, 3.0) == 3.0
