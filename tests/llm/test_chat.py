"""The language models over real HTTP, in all the ways a service goes wrong."""

import gzip
import logging
import time
import traceback
import tracemalloc
from typing import Any

import pytest
from prometheus_client import REGISTRY

from memory.engine.language_model import (
    BadReply,
    LanguageModelError,
    Message,
    RateLimited,
    RefusedByPolicy,
    Rejected,
    Reply,
    ServerError,
    TimedOut,
    Unreachable,
)
from memory.stores.llm.config import LanguageModelConfig
from memory.stores.llm.ollama import Ollama
from memory.stores.llm.openai import Gemini, OpenAI
from memory.stores.llm.service import ServiceModel
from tests.embedders.conftest import Clock
from tests.servers.chat import prompt_of, replies, replies_json
from tests.servers.scripted import (
    Behaviour,
    ScriptedServer,
    drip,
    drop,
    hang,
    not_json,
    ok,
    redirect,
    says,
    stall,
    status,
    too_many,
)

CLASSES: dict[str, type[ServiceModel]] = {"openai": OpenAI, "ollama": Ollama, "gemini": Gemini}
KEY = "sk-very-secret-0123456789"
PROMPT = "Where does aunt Agatha hide her pearls?"
SCHEMA = {
    "type": "object",
    "properties": {"ids": {"type": "array", "items": {"type": "integer"}}},
    "required": ["ids"],
    "additionalProperties": False,
}


def build(kind: str, server: ScriptedServer, clock: Clock, **changes: Any) -> ServiceModel:
    """The adapter on the scripted server, on a clock that does not really wait."""
    settings: dict[str, Any] = {"url": server.url, "model": "m-1", "api_key": KEY, "guarded": False} | changes
    return CLASSES[kind](LanguageModelConfig(kind, **settings), patience=clock.patience())


def chat(model: ServiceModel, schema: dict[str, Any] | None = None, seconds: float = 60) -> Reply:
    """One call, with `seconds` of time."""
    messages = [Message("system", "You are terse."), Message("user", PROMPT)]
    return model.chat(messages, max_tokens=50, deadline=time.monotonic() + seconds, schema=schema)


@pytest.fixture(params=CLASSES)
def kind(request: pytest.FixtureRequest) -> str:
    """Each service in turn."""
    found: str = request.param
    return found


def sample(name: str, **labels: str) -> float:
    """The present value of a metric."""
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_a_question_is_answered(kind: str, server: ScriptedServer, clock: Clock) -> None:
    calls = sample("loci_llm_calls_total", provider=kind, outcome="ok")
    read = sample("loci_llm_tokens_total", provider=kind, way="in")
    reply = chat(build(kind, server, clock))
    assert reply == Reply("Yes.", None, 11, 3, "m-1")
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json["messages"] == [
        {"role": "system", "content": "You are terse."},
        {"role": "user", "content": PROMPT},
    ]
    assert sample("loci_llm_calls_total", provider=kind, outcome="ok") == calls + 1
    assert sample("loci_llm_tokens_total", provider=kind, way="in") == read + 11


def test_what_openai_is_sent(server: ScriptedServer, clock: Clock) -> None:
    server.script(replies_json({"ids": []}))
    chat(build("openai", server, clock), SCHEMA)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert (request.json["model"], request.json["max_tokens"], request.json["temperature"]) == ("m-1", 50, 0.0)
    form = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}
    assert request.json["response_format"] == form


def test_what_ollama_is_sent(server: ScriptedServer, clock: Clock) -> None:
    server.script(replies_json({"ids": [1]}))
    chat(build("ollama", server, clock, url=server.url + "/api/"), SCHEMA)
    (request,) = server.requests
    assert request.path == "/api/chat"
    assert (request.json["think"], request.json["stream"], request.json["format"]) == (False, False, SCHEMA)
    assert request.json["options"] == {"num_predict": 50, "temperature": 0.0}


def test_gemini_is_asked_not_to_think(server: ScriptedServer, clock: Clock) -> None:
    model = build("gemini", server, clock, url=server.url + "/v1beta/openai")
    chat(model)
    assert server.requests[0].path == "/v1beta/openai/chat/completions"
    assert server.requests[0].json["reasoning_effort"] == "none"
    said = "Budget 0 is invalid. This model only works in thinking mode."
    server.script(says([{"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}}], 400))
    chat(model)
    assert ["reasoning_effort" in request.json for request in server.requests] == [True, False]


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ('{"ids": [2, 1]}', [2, 1]),
        ('```json\n{"ids": [2, 1]}\n```', [2, 1]),
        ('Here you are:\n```\n{"ids": []}\n```\nAnything else?', []),
        ('Sure! {"ids": [3]} Done.', [3]),
        ('\ufeff<think>{"ids": [9]}? No.</think>\n{"ids": [3]}', [3]),
        ('```json\n{"ids": [7]}', [7]),
    ],
    ids=["bare", "fenced", "prose around a fence", "prose", "thoughts", "open fence"],
)
def test_json_is_read_in_any_form(kind: str, server: ScriptedServer, clock: Clock, form: str, value: list[int]) -> None:
    server.script(replies(form))
    assert chat(build(kind, server, clock), SCHEMA).parsed == {"ids": value}


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        ('{"ids": [2, 1', "cut off"),
        ('{"ids": [2], "note": "it sa', "cut off"),
        ('{"outer": {"ids": [1]}, "x', "cut off"),
        ('{broken, {"ids": [1]}', "broken"),
        ('{"ids": "2"}', r"\$.ids breaks 'type'"),
        ('{"ids": ["2"]}', r"\$.ids\[0\] breaks 'type'"),
        ('{"ids": [true]}', r"\$.ids\[0\] breaks 'type'"),
        ('{"ids": [1.5]}', r"\$.ids\[0\] breaks 'type'"),
        ('{"ids": null}', r"\$.ids breaks 'type'"),
        ("{}", r"\$ breaks 'required'"),
        ('{"ids": [], "more": 1}', r"\$ breaks 'additionalProperties'"),
        ('{"ids": [NaN]}', "NaN"),
        ('{"ids": [1], "ids": [2]}', "key twice"),
        ('{"ids": [1]} or {"ids": [2]}', "more than one"),
        ("[1, 2]", "no JSON object"),
        ("I would say 2, then 1.", "no JSON object"),
        ('{"ids":' + "[" * 100_000, "too deep|cut off|broken"),
        ('{"ids": [' + "9" * 5000 + "]}", "too large"),
    ],
)
def test_json_is_checked_strictly(kind: str, server: ScriptedServer, clock: Clock, spoilt: str, why: str) -> None:
    server.script(replies(spoilt))
    bad = sample("loci_llm_calls_total", provider=kind, outcome="bad_reply")
    with pytest.raises(BadReply, match=why):
        chat(build(kind, server, clock), SCHEMA)
    assert sample("loci_llm_calls_total", provider=kind, outcome="bad_reply") == bad + 1
    assert len(server.requests) == 1


@pytest.mark.parametrize("empty", ["", "  \n ", None, [], "<think>Well.</think>"], ids=repr)
@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["text", "json"])
def test_an_empty_reply_is_none(
    kind: str, server: ScriptedServer, clock: Clock, empty: object, schema: dict[str, Any] | None
) -> None:
    server.script(replies(empty))
    with pytest.raises(BadReply, match="the reply is empty"):
        chat(build(kind, server, clock), schema)


def test_a_reply_cut_at_the_limit_is_said(kind: str, server: ScriptedServer, clock: Clock) -> None:
    model = build(kind, server, clock)
    server.script(replies("The pearls are in", cut=True), replies("", cut=True))
    with pytest.raises(BadReply, match="cut off after 50 tokens"):
        chat(model)
    with pytest.raises(BadReply, match=r"empty \(within 50 tokens\); a model that thinks"):
        chat(model)


def test_whole_json_that_ends_at_the_limit_counts(kind: str, server: ScriptedServer, clock: Clock) -> None:
    server.script(replies('{"ids": []}', cut=True))
    assert chat(build(kind, server, clock), SCHEMA).parsed == {"ids": []}


def test_content_in_parts_is_put_together(server: ScriptedServer, clock: Clock) -> None:
    server.script(replies([{"type": "text", "text": "In the "}, {"type": "text", "text": "teapot."}]))
    assert chat(build("openai", server, clock)).text == "In the teapot."


def test_a_model_that_declines_is_said(server: ScriptedServer, clock: Clock) -> None:
    server.script(replies(None, refusal="I cannot help with that."))
    with pytest.raises(BadReply, match="declines"):
        chat(build("openai", server, clock))


@pytest.mark.parametrize(
    "odd",
    [
        *({}, [], 3, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": "x"}]}, {"message": "x"}),
        {"choices": [{"message": {"content": 3}}], "message": {"content": 3}},
    ],
    ids=repr,
)
def test_an_answer_of_another_form(kind: str, server: ScriptedServer, clock: Clock, odd: object) -> None:
    server.script(says(odd))
    with pytest.raises(BadReply, match="not the form of a chat completion"):
        chat(build(kind, server, clock))


def test_usage_that_is_none_is_left_out(server: ScriptedServer, clock: Clock) -> None:
    answer = {
        "choices": [{"message": {"content": "Yes."}}],
        "usage": {"prompt_tokens": "many", "completion_tokens": -1},
    }
    server.script(says(answer))
    assert chat(build("openai", server, clock)) == Reply("Yes.", None, None, None, "m-1")


@pytest.mark.parametrize("passing", [status(500), status(503), too_many(), drop()], ids=lambda b: b.name)
def test_what_passes_is_tried_again(kind: str, server: ScriptedServer, clock: Clock, passing: Behaviour) -> None:
    server.script(passing, passing, ok())
    assert chat(build(kind, server, clock)).text == "Yes."
    assert (len(server.requests), clock.waits) == (3, [0.5, 1.0])


def test_retry_after_is_honoured(kind: str, server: ScriptedServer, clock: Clock) -> None:
    server.script(too_many(7), ok())
    chat(build(kind, server, clock))
    assert clock.waits == [7.0]


def test_a_retry_after_beyond_the_deadline_ends_the_call(kind: str, server: ScriptedServer, clock: Clock) -> None:
    server.script(too_many(7), ok())
    with pytest.raises(RateLimited, match="answered 429") as caught:
        chat(build(kind, server, clock), seconds=5)
    assert (caught.value.retry_after, caught.value.retryable, clock.waits) == (7.0, True, [])
    assert len(server.requests) == 1


def test_five_hundred_for_ever(kind: str, server: ScriptedServer, clock: Clock) -> None:
    server.script(*[status(500)] * 5)
    with pytest.raises(ServerError, match="answered 500") as caught:
        chat(build(kind, server, clock))
    assert (caught.value.retryable, len(server.requests)) == (True, 3)


@pytest.mark.parametrize("behaviour", [hang(), stall()], ids=lambda b: b.name)
def test_a_hang_ends_at_the_deadline(kind: str, server: ScriptedServer, clock: Clock, behaviour: Behaviour) -> None:
    server.script(behaviour)
    with pytest.raises(TimedOut, match=r"no answer from http://127.0.0.1:\d+ within 0\.\d+ s"):
        chat(build(kind, server, clock), seconds=0.2)
    assert len(server.requests) == 1


def test_without_time_nothing_is_sent(kind: str, server: ScriptedServer, clock: Clock) -> None:
    with pytest.raises(TimedOut, match="no time left"):
        chat(build(kind, server, clock), seconds=0)
    assert server.requests == []


def test_nobody_listens(clock: Clock) -> None:
    with ScriptedServer() as gone:
        pass
    with pytest.raises(Unreachable, match=r"ConnectError.*llm\.url"):
        chat(build("ollama", gone, clock))


def test_a_redirect_is_refused(kind: str, server: ScriptedServer, clock: Clock) -> None:
    with ScriptedServer() as other:
        server.script(redirect(other.url))
        with pytest.raises(RefusedByPolicy, match=r"redirects are refused; set llm\.url"):
            chat(build(kind, server, clock))
        assert other.requests == []


@pytest.mark.parametrize(
    ("code", "what"), [(400, "llm.url and llm.model"), (401, "check llm.api_key"), (404, "llm.model")]
)
def test_a_refusal_is_final(kind: str, server: ScriptedServer, clock: Clock, code: int, what: str) -> None:
    server.script(says({"error": {"message": f"no: {PROMPT}", "code": "no_such_thing"}}, code))
    with pytest.raises(Rejected, match=rf"answered {code} \(no_such_thing\).*{what}") as caught:
        chat(build(kind, server, clock))
    assert (caught.value.retryable, len(server.requests)) == (False, 1)


def test_an_answer_that_is_a_web_page(kind: str, server: ScriptedServer, clock: Clock) -> None:
    server.script(not_json())
    with pytest.raises(BadReply, match=r"not JSON; check that llm\.url is the address of a language model"):
        chat(build(kind, server, clock))


def test_openai_learns_what_a_service_does_not_take(server: ScriptedServer, clock: Clock) -> None:
    model = build("openai", server, clock)
    server.script(
        status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        status(400, "Unsupported value: 'temperature' does not support 0 with this model."),
        status(400, "response_format: json_schema is not supported"),
        status(422, "'response_format' is unknown"),
        replies_json({"ids": [4]}),
        replies_json({"ids": [5]}),
    )
    assert chat(model, SCHEMA).parsed == {"ids": [4]}
    assert [request.json.get("response_format", {}).get("type") for request in server.requests] == [
        *["json_schema"] * 3,
        "json_object",
        None,
    ]
    last = server.requests[-1]
    assert "max_tokens" not in last.json and "temperature" not in last.json
    assert last.json["max_completion_tokens"] == 50
    assert "JSON schema" in prompt_of(last) and '"ids"' in prompt_of(last)
    assert chat(model, SCHEMA).parsed == {"ids": [5]}
    assert len(server.requests) == 6


def test_a_service_that_complains_for_ever_is_left(server: ScriptedServer, clock: Clock) -> None:
    server.script(*[status(400, "bad response_format, temperature and max_tokens")] * 20)
    with pytest.raises(Rejected):
        chat(build("openai", server, clock), SCHEMA)
    assert len(server.requests) == 5


def test_an_old_ollama_is_met_half_way(server: ScriptedServer, clock: Clock) -> None:
    server.script(
        says({"error": 'unknown field "think"'}, 400),
        says({"error": "json: cannot unmarshal object into Go struct field ChatRequest.format of type string"}, 400),
        replies_json({"ids": []}),
    )
    assert chat(build("ollama", server, clock), SCHEMA).parsed == {"ids": []}
    last = server.requests[-1]
    assert "think" not in last.json and last.json["format"] == "json"


@pytest.mark.parametrize(
    "behaviour",
    [
        status(401, f"bad key {KEY} for {PROMPT}"),
        status(400, f"bad key {KEY} for {PROMPT}"),
        says({"error": {"message": PROMPT, "code": KEY}}, 400),
        status(500, f"{KEY} {PROMPT}"),
        drop(),
        not_json(),
        replies(PROMPT),
        replies('{"ids": "' + PROMPT + '"}'),
        replies(PROMPT, cut=True),
    ],
    ids=range(9),
)
@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["text", "json"])
def test_neither_key_nor_prompt_shows(
    kind: str,
    server: ScriptedServer,
    clock: Clock,
    behaviour: Behaviour,
    schema: dict[str, Any] | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = build(kind, server, clock)
    server.script(*[behaviour] * 5)
    with caplog.at_level(logging.DEBUG):
        try:
            chat(model, schema)
        except LanguageModelError as caught:
            error: BaseException | None = caught
        else:
            assert schema is None
            return
    shown = [caplog.text, repr(model), *traceback.format_exception(error)]
    while error is not None:
        shown += [str(error), repr(error), repr(vars(error))]
        error = error.__cause__
    assert KEY not in "".join(shown)
    assert "pearls" not in "".join(shown)


def test_a_setting_that_is_none(server: ScriptedServer, clock: Clock) -> None:
    with pytest.raises(Rejected, match=r"no model is named; set llm\.model"):
        build("openai", server, clock, model=" ")
    for url in ("localhost:11434", "ftp://h/x", "http://", "http://[", "http://h:99999"):
        with pytest.raises(Rejected, match=r"llm\.url is not an http or https address"):
            build("ollama", server, clock, url=url)
    with pytest.raises(Rejected, match=r"set llm\.api_key anew"):
        build("openai", server, clock, api_key="with space")
    with pytest.raises(Rejected, match="set LLM_MODEL"):
        build("openai", server, clock, model="", setting="LLM_")


@pytest.mark.parametrize("part", ["head", "body"])
@pytest.mark.parametrize("guarded", [False, True], ids=["operator's", "tenant's"])
def test_a_service_that_drips_is_left_at_the_deadline(server: ScriptedServer, part: str, guarded: bool) -> None:
    server.script(*[drip(part)] * 9)
    settings = {"guarded": guarded, "allowed": ("127.0.0.0/8",)}
    model = OpenAI(LanguageModelConfig("openai", "m-1", server.url, **settings))  # type: ignore[arg-type]
    began = time.monotonic()
    with pytest.raises(TimedOut):
        chat(model, seconds=0.4)
    assert time.monotonic() - began < 2
    assert len(server.requests) == 1


def packed(content: bytes, code: int = 200) -> Behaviour:
    """`content` in gzip in gzip, as nobody asks for."""
    return Behaviour("packed", code, {"Content-Encoding": "gzip, gzip"}, gzip.compress(gzip.compress(content)))


def test_a_compressed_answer_is_not_unpacked(kind: str, server: ScriptedServer, clock: Clock) -> None:
    server.script(packed(b" " * 50_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(BadReply, match=r"in a Content-Encoding.*Accept-Encoding: identity"):
            chat(build(kind, server, clock))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert server.requests[0].headers["accept-encoding"] == "identity"
    server.script(packed(b"{}", 503), Behaviour("as it is", headers={"Content-Encoding": "identity"}))
    assert chat(build(kind, server, clock)).text == "Yes."


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("no_such_thing", True),
        ("x" * 40, True),
        ("x" * 41, False),
        ("No such", False),
        ("a-b", False),
        ("key_secret_ab_is_wrong", False),
        ("key_secret__is_wrong", True),
        (f"\ud800{KEY}", False),
    ],
)
def test_a_code_is_shown_unless_it_repeats_the_key(
    server: ScriptedServer, clock: Clock, code: str, shown: bool
) -> None:
    server.script(says({"error": {"message": "no", "code": code}}, 400))
    with pytest.raises(Rejected) as caught:
        chat(build("openai", server, clock, api_key="SK-Secret_AB12-tail"))
    assert (f"({code})" in str(caught.value)) == shown
