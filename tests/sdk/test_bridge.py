"""`loci mcp` against a server that behaves as a script says: what goes in, what comes out."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loci_client.bridging.events import Events
from loci_client.bridging.messages import header_value
from tests.local.running import wait_for
from tests.sdk.terminal import Said, Terminal
from tests.servers.scripted import Behaviour, Request, ScriptedServer, drop, hang, not_json, redirect, says, too_many

META = "io.modelcontextprotocol/protocolVersion"


def request(number: Any, method: str = "tools/list", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def notification(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def result(number: Any, **fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": fields}


def stream(*messages: Any, end: bytes = b"\n\n", newline: bytes = b"\n") -> Behaviour:
    """An answer as server-sent events, with a comment and an empty event before."""
    events = [b": hello", b"", b"id: 1", b"data:", b""]
    for message in messages:
        events += [b"event: message", b"data: " + json.dumps(message, ensure_ascii=False).encode(), b""]
    body = newline.join(events) + end
    return Behaviour("stream", headers={"Content-Type": "text/event-stream; charset=utf-8"}, body=body)


def accepted() -> Behaviour:
    return Behaviour("accepted", 202, body=b"")


def echo(asked: Request) -> Any:
    """Answers each request with its own method."""
    return result(asked.json.get("id"), method=asked.json.get("method"))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(echo) as running:
        yield running


@pytest.fixture
def bridge(terminal: Terminal, server: ScriptedServer) -> Terminal:
    terminal.variables |= {"LOCI_URL": server.url, "LOCI_API_KEY": "loci_sk_test"}
    return terminal


def relayed(bridge: Terminal, *messages: Any, options: tuple[str, ...] = ()) -> Said:
    lines = [message if isinstance(message, str) else json.dumps(message) for message in messages]
    return bridge.loci("mcp", *options, given="".join(f"{line}\n" for line in lines))


def told(said: Said) -> list[Any]:
    return [json.loads(line) for line in said.out.splitlines()]


def test_a_request_is_posted_with_the_key_and_its_answer_is_a_line(bridge: Terminal, server: ScriptedServer) -> None:
    said = relayed(bridge, request(1), options=("--tools", "all"))
    assert (said.code, told(said), said.err) == (0, [result(1, method="tools/list")], "")
    (asked,) = server.requests
    assert (asked.method, asked.path, asked.json) == ("POST", "/mcp?tools=all", request(1))
    assert asked.headers["authorization"] == "Bearer loci_sk_test"
    assert asked.headers["accept"] == "application/json, text/event-stream"
    assert asked.headers["content-type"] == "application/json"
    assert "mcp-protocol-version" not in asked.headers


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_all_messages_of_a_stream_come_in_order(bridge: Terminal, server: ScriptedServer, newline: bytes) -> None:
    messages = [notification("notifications/progress", progress=n, text="a\u2028b\x85c") for n in range(3)]
    server.script(stream(*messages, result("one", text="ende 😀"), newline=newline, end=newline * 2))
    said = relayed(bridge, request("one"))
    assert told(said) == [*messages, result("one", text="ende 😀")]
    assert said.out.isascii()


def test_a_last_event_without_its_blank_line_counts(bridge: Terminal, server: ScriptedServer) -> None:
    server.script(stream(result(1, ok=True), end=b""))
    assert told(relayed(bridge, request(1))) == [result(1, ok=True)]


def test_a_notification_has_no_answer(bridge: Terminal, server: ScriptedServer) -> None:
    server.script(accepted())
    assert relayed(bridge, notification("notifications/initialized")) == Said(0, "", "")


def test_the_version_that_was_settled_goes_with_what_follows(bridge: Terminal, server: ScriptedServer) -> None:
    server.script(says(result(0, protocolVersion="2025-11-25", capabilities={})), accepted())
    talking = bridge.start("mcp")
    assert talking.stdin and talking.stdout
    talking.stdin.write(json.dumps(request(0, "initialize", protocolVersion="2025-11-25")) + "\n")
    talking.stdin.flush()
    assert json.loads(talking.stdout.readline())["id"] == 0
    rest = [notification("notifications/initialized"), request(1)]
    out, err = talking.communicate("".join(json.dumps(message) + "\n" for message in rest), timeout=30)
    assert (json.loads(out)["id"], err, talking.returncode) == (1, "", 0)
    versions = [asked.headers.get("mcp-protocol-version") for asked in server.requests]
    assert versions == [None, "2025-11-25", "2025-11-25"]
    assert "mcp-method" not in server.requests[2].headers


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("tools/call", {"name": "memory_search"}, "memory_search"),
        ("prompts/get", {"name": "erinnere-dich ü"}, "=?base64?ZXJpbm5lcmUtZGljaCDDvA==?="),
        ("resources/read", {"uri": "memory://m1"}, "memory://m1"),
        ("tools/list", {"name": "not a name here"}, None),
    ],
)
def test_a_message_of_the_newer_era_has_its_own_headers(
    bridge: Terminal, server: ScriptedServer, method: str, params: dict[str, Any], name: str | None
) -> None:
    relayed(bridge, request(1, method, _meta={META: "2026-07-28"}, **params))
    headers = server.requests[0].headers
    assert (headers["mcp-protocol-version"], headers["mcp-method"]) == ("2026-07-28", method)
    assert headers.get("mcp-name") == name


def test_a_refusal_becomes_an_error_of_the_request(bridge: Terminal, server: ScriptedServer) -> None:
    problem = {"status": 401, "code": "invalid_key", "detail": "No such key.", "request_id": "r-1"}
    server.script(says(problem, 401))
    (error,) = told(relayed(bridge, request("x")))
    assert (error["id"], error["error"]["code"]) == ("x", -32000)
    assert error["error"]["message"] == "Loci answers 401: No such key. Run `loci login`, or set LOCI_API_KEY."
    assert error["error"]["data"] == {"status": 401, "code": "invalid_key", "request_id": "r-1"}


def test_an_error_that_the_server_put_in_words_of_the_protocol_is_passed_on(
    bridge: Terminal, server: ScriptedServer
) -> None:
    server.script(says({"jsonrpc": "2.0", "id": None, "error": {"code": -32020, "message": "Header mismatch"}}, 400))
    said = told(relayed(bridge, request(7)))
    assert said == [{"jsonrpc": "2.0", "id": 7, "error": {"code": -32020, "message": "Header mismatch"}}]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (drop(), "cannot be reached"),
        (not_json(), "200"),
        (too_many(7), "Try again in 7 s"),
        (redirect("http://elsewhere.example/"), "307"),
        (accepted(), "before it was complete"),
        (stream(notification("notifications/message")), "before it was complete"),
        (stream(), "before it was complete"),
        (Behaviour("bytes", headers={"Content-Type": "text/event-stream"}, body=b"data: \xff\n\n"), "no JSON"),
        (Behaviour("broken", headers={"Content-Type": "text/event-stream"}, body=b"data: {\n\n"), "no JSON"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_no_request_is_left_without_an_answer(
    bridge: Terminal, server: ScriptedServer, fault: Behaviour, words: str
) -> None:
    server.script(fault)
    said = told(relayed(bridge, request(1), options=("--timeout", "5")))
    assert said[-1]["id"] == 1 and words in said[-1]["error"]["message"]
    assert sum("id" in message for message in said) == 1


def test_a_server_that_is_silent_is_a_time_out(bridge: Terminal, server: ScriptedServer) -> None:
    server.script(hang())
    (error,) = told(relayed(bridge, request(1), options=("--timeout", "0.2")))
    assert "did not answer in time" in error["error"]["message"]


def test_what_goes_wrong_with_a_notification_is_said_on_the_side(bridge: Terminal, server: ScriptedServer) -> None:
    server.script(says({"detail": "Not now."}, 503))
    said = relayed(bridge, notification("notifications/initialized"))
    assert (said.code, said.out, said.err) == (0, "", "loci mcp: Loci answers 503: Not now.\n")


def test_a_line_that_is_no_message_is_answered_and_the_rest_goes_on(bridge: Terminal, server: ScriptedServer) -> None:
    said = told(relayed(bridge, "{", "", "3", request(1)))
    assert [(message["id"], message.get("error", {}).get("code")) for message in said] == [
        (None, -32700),
        (None, -32600),
        (1, None),
    ]
    assert len(server.requests) == 1


def test_a_batch_goes_as_one(bridge: Terminal, server: ScriptedServer) -> None:
    server.script(says([result(2), result(1)]))
    assert told(relayed(bridge, [request(1), request(2), notification("x")])) == [[result(2), result(1)]]
    server.script(drop())
    assert {message["id"] for message in told(relayed(bridge, [request(1), request(2)]))} == {1, 2}


def test_many_requests_go_at_once_but_not_all(bridge: Terminal, server: ScriptedServer) -> None:
    said = told(relayed(bridge, *[request(n) for n in range(400)]))
    assert {message["id"] for message in said} == set(range(400))
    assert len(said) == 400


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_a_request_that_is_called_off_is_broken_off(bridge: Terminal, server: ScriptedServer, era: str) -> None:
    params = {"_meta": {META: era}} if era == "2026-07-28" else {}
    server.script(hang(), accepted())
    called_off = notification("notifications/cancelled", requestId=1, **params)
    talking = bridge.start("mcp")
    assert talking.stdin
    talking.stdin.write(json.dumps(request(1, "tools/call", name="memory_search", **params)) + "\n")
    talking.stdin.flush()
    wait_for(lambda: server.requests)
    assert talking.communicate(json.dumps(called_off) + "\n", timeout=30) == ("", "")
    told_server = [asked.json["method"] for asked in server.requests if asked.json["method"].startswith("notif")]
    assert told_server == ([] if era == "2026-07-28" else ["notifications/cancelled"])


def test_a_request_that_is_called_off_at_once_leaves_room_for_others(bridge: Terminal, server: ScriptedServer) -> None:
    pairs = [
        (request(n), notification("notifications/cancelled", requestId=n, _meta={META: "2026-07-28"}))
        for n in range(300)
    ]
    said = told(relayed(bridge, *(message for pair in pairs for message in pair), request("last")))
    assert "last" in [message["id"] for message in said]


def test_it_ends_quietly_when_nobody_reads_its_answers(bridge: Terminal, server: ScriptedServer) -> None:
    talking = bridge.start("mcp")
    assert talking.stdin and talking.stdout and talking.stderr
    talking.stdout.close()
    talking.stdin.write(json.dumps(request(1)) + "\n")
    talking.stdin.flush()
    assert talking.stderr.read() == ""  # while its standard input is still open
    assert talking.wait(timeout=30) == 0
    talking.stdin.close()
    talking.stderr.close()


def test_without_a_key_it_says_so_and_ends(terminal: Terminal) -> None:
    said = terminal.loci("mcp", "--url", "http://127.0.0.1:9")
    assert (said.code, said.out) == (2, "") and "There is no key" in said.err


@given(st.lists(st.text(st.sampled_from("aé\u2028 :{"), min_size=1, max_size=6), max_size=4), st.integers(1, 5))
def test_events_are_the_same_however_the_bytes_are_cut(texts: list[str], size: int) -> None:
    for newline in ("\n", "\r\n", "\r"):
        body = "".join(f"data: {text}{newline}{newline}" for text in texts).encode()
        events = Events()
        found = [data for at in range(0, len(body), size) for data in events.feed(body[at : at + size])]
        assert [*found, *events.end()] == texts


@given(st.text(max_size=20))
def test_a_header_is_plain_and_can_be_read_back(text: str) -> None:
    from base64 import b64decode

    value = header_value(text)
    assert value.isascii() and value == value.strip() and "\n" not in value
    if value != text:
        assert b64decode(value.removeprefix("=?base64?").removesuffix("?=")) == text.encode("utf-8", "surrogatepass")
