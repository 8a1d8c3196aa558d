"""The door itself: who is let in, and what those who are not get to hear."""

import json
from typing import Any

import httpx2
import pytest

from tests.cast import Caller
from tests.mcp.agents import MODERN, answer, called, message, post
from tests.servers.aside import aside

pytestmark = pytest.mark.committed
LISTING = message("tools/list")


@pytest.mark.parametrize("accept", ["application/json, text/event-stream", "text/html", ""])
@pytest.mark.parametrize("version", ["2025-11-25", MODERN, None, "1999-01-01"])
def test_without_a_key_nothing_is_told_but_where_to_get_one(
    db: None, plain: httpx2.Client, accept: str, version: str | None
) -> None:
    refused = post(plain, None, LISTING, version=version, Accept=accept)
    assert refused.status_code == 401
    challenge = refused.headers["www-authenticate"]
    assert challenge.startswith("Bearer ") and "/.well-known/oauth-protected-resource/mcp" in challenge
    assert refused.json()["id"] == LISTING["id"]
    assert refused.json()["error"]["message"] == "missing service key"


@pytest.mark.parametrize("key", ["nonsense", "loci_sk_" + "a" * 38])
def test_a_key_that_does_not_hold_is_an_invalid_token(db: None, plain: httpx2.Client, key: str) -> None:
    refused = post(plain, key, LISTING)
    assert refused.status_code == 401
    assert 'error="invalid_token"' in refused.headers["www-authenticate"]


def test_a_session_id_is_no_credential(alice: Caller, plain: httpx2.Client) -> None:
    assert post(plain, None, LISTING, mcp_session_id="0" * 32).status_code == 401


def test_the_metadata_names_the_resource_and_no_authorization_server(plain: httpx2.Client, db: None) -> None:
    for path in ("", "/mcp"):
        told = plain.get(f"/.well-known/oauth-protected-resource{path}")
        assert told.status_code == 200
        assert told.json()["resource"].endswith("/mcp")
        assert "authorization_servers" not in told.json()


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "PATCH"])
def test_only_post_is_answered(alice: Caller, plain: httpx2.Client, method: str) -> None:
    refused = plain.request(method, "/mcp", headers={"X-API-Key": alice.key, "Accept": "text/event-stream"})
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


def test_a_foreign_host_and_a_foreign_origin_are_refused(alice: Caller, plain: httpx2.Client) -> None:
    assert post(plain, alice.key, LISTING, Host="evil.example").status_code == 421
    assert post(plain, alice.key, LISTING, Origin="https://evil.example").status_code == 403
    assert post(plain, alice.key, LISTING, Origin=str(plain.base_url).rstrip("/")).status_code == 200


def test_a_reader_is_told_which_scope_it_lacks(bob: Caller, plain: httpx2.Client) -> None:
    refused = post(plain, bob.key, message("tools/call", {"name": "memory_remember", "arguments": {"text": "x"}}))
    assert refused.status_code == 403
    assert 'error="insufficient_scope", scope="write"' in refused.headers["www-authenticate"]
    assert refused.json()["error"]["message"] == "key lacks 'write' scope"


def test_a_tool_outside_the_set_is_not_called(alice: Caller, plain: httpx2.Client) -> None:
    (memory,) = alice.remember("Dana prefers tea.")
    asked = message("tools/call", {"name": "memory_erase", "arguments": {"ids": [memory], "confirm": True}})
    refused = answer(post(plain, alice.key, asked))
    assert "There is no tool 'memory_erase' here" in refused["error"]["message"]
    assert alice.get(f"memories/{memory}").status_code == 200


def test_an_unknown_set_names_those_that_there_are(alice: Caller, plain: httpx2.Client) -> None:
    refused = post(plain, alice.key, LISTING, query="?tools=everything")
    assert refused.status_code == 422
    assert "knows no 'everything': choose from core, all, mnemostack" in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "colour": "red"}, "colour"),
        ({"query": "x", "filters": {"kind": {"above": 3}}}, "filters"),
        ({"query": "x", "valid_at": "2026-01-01T10:00:00"}, "offset"),
        ({"query": "x\x00y"}, "NUL"),
        ({"query": "x", "since": "2026-02-01", "until": "2026-01-01"}, "since must come before until"),
    ],
)
def test_a_fault_is_a_result_that_names_it(alice: Caller, plain: httpx2.Client, arguments: Any, said: str) -> None:
    failed = called(plain, alice, "memory_search", **arguments)
    assert failed["isError"] and said in failed["content"][0]["text"]
    assert failed["_meta"]["loci/error"]["status"] == 422
    assert failed["_meta"]["loci/error"]["errors"]


def test_a_lone_surrogate_is_a_fault_and_no_crash(alice: Caller, plain: httpx2.Client) -> None:
    asked = message("tools/call", {"name": "memory_search", "arguments": {"query": "@"}})
    raw = json.dumps(asked).replace("@", "\\ud800").encode()
    reply = post(plain, alice.key, raw)
    assert reply.status_code in (200, 400)
    assert "error" in answer(reply) or answer(reply)["result"]["isError"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"jsonrpc":"2.0"}', b"[" * 3000, b"\xff"])
@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
def test_nonsense_is_refused_without_harm(alice: Caller, plain: httpx2.Client, body: bytes, version: str) -> None:
    assert 400 <= post(plain, alice.key, body, version=version).status_code < 500


def test_a_message_over_the_limit_is_refused(alice: Caller, plain: httpx2.Client) -> None:
    refused = post(plain, alice.key, b" " * (1024 * 1024 + 1))
    assert refused.status_code == 413
    assert "over the limit of 1 MB" in refused.json()["error"]["message"]


def test_the_rate_is_shared_with_rest_and_a_model_is_told_when_to_try_again(
    alice: Caller, plain: httpx2.Client
) -> None:
    from billing.quotas import set_quota
    from tenants.authentication import operator_scope

    set_quota(operator_scope(alice.tenant, "test"), {"rps": 1})
    assert alice.get("status").status_code == 200
    failed = called(plain, alice, "memory_search", query="tea")
    assert failed["_meta"]["loci/error"]["code"] == "rate_limited"
    assert failed["_meta"]["loci/error"]["retry_after"] >= 1
    for uncounted in (LISTING, message("ping"), message("no/such"), {"jsonrpc": "2.0", "method": "notifications/x"}):
        refused = post(plain, alice.key, uncounted)
        assert (refused.status_code, "requests per second" in refused.json()["error"]["message"]) == (429, True)


def test_a_full_quota_is_told_as_over_rest(alice: Caller, plain: httpx2.Client) -> None:
    from billing.quotas import set_quota
    from tenants.authentication import operator_scope

    set_quota(operator_scope(alice.tenant, "test"), {"memories": 1})
    alice.remember("One.")
    failed = called(plain, alice, "memory_remember", text="Two.")
    assert failed["_meta"]["loci/error"]["code"] == "quota_exceeded"
    assert "limit of 1 memories" in failed["content"][0]["text"]


def test_the_audit_names_the_trace_of_the_message(alice: Caller, plain: httpx2.Client) -> None:
    from tenants.models import AuditEvent
    from tenants.rls import tenant_rows

    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    (memory,) = alice.remember("Dana prefers tea.")
    asked = message(
        "tools/call",
        {
            "name": "memory_forget",
            "arguments": {"ids": [memory]},
            "_meta": {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"},
        },
    )
    assert not answer(post(plain, alice.key, asked))["result"]["isError"]
    with tenant_rows(alice.tenant):
        event = AuditEvent.objects.get(action="memory.invalidated")
    assert event.trace_id == trace


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_remember", {"text": "x", "metadata": '{"a": "\\u0000"}'}),
        ("memory_remember", {"text": "x", "metadata": '{"a": NaN}'}),
        ("memory_remember", {"text": "x", "metadata": '{"a": 1, "a": 2}'}),
        ("memory_remember", {"text": "x", "metadata": '{"a":' * 30_000}),
        ("memory_remember", {"text": "x", "tags": '["\\ud800"]'}),
        ("memory_remember", {"items": '[{"text": "secret-of-mira \\u0000"}]'}),
        ("memory_remember", {"items": "[" * 50_000}),
        ("memory_remember", {"items": [{"text": "y", "metadata": '{"\\u0000": 1}'}]}),
        ("memory_search", {"query": "x", "filters": '{"source": "\\ud800"}'}),
        ("memory_list", {"tags": ["a\x00"]}),
        ("mnemostack_remember", {"text": "x", "metadata": '{"a": "\\u0000"}'}),
    ],
)
def test_json_text_in_arguments_is_held_to_the_same_rules(
    alice: Caller, plain: httpx2.Client, caplog: pytest.LogCaptureFixture, tool: str, arguments: Any
) -> None:
    failed = called(plain, alice, tool, **arguments)
    assert failed["isError"], failed
    assert failed["_meta"]["loci/error"]["status"] == 422
    assert alice.post(f"tools/{tool}", arguments).status_code == 422
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
    assert alice.found("x") == []


@pytest.mark.parametrize("number", ["NaN", "1e400", "-Infinity"])
def test_a_number_that_is_none_is_a_fault(alice: Caller, plain: httpx2.Client, number: str) -> None:
    asked = message("tools/call", {"name": "memory_remember", "arguments": {"text": "x", "metadata": {"a": "@"}}})
    reply = post(plain, alice.key, json.dumps(asked).replace('"@"', number).encode())
    assert "error" in answer(reply) or answer(reply)["result"]["isError"]
    assert alice.found("x") == []


def test_too_many_values_are_refused_before_they_are_looked_at(alice: Caller, plain: httpx2.Client) -> None:
    failed = called(plain, alice, "memory_remember", items=[{}] * 120_000)
    assert "holds more than 100,000 values" in failed["content"][0]["text"]


@pytest.mark.parametrize("key", [None, "loci_sk_" + "a" * 38])
@pytest.mark.parametrize("number", ['"\\ud800"', "1" * 4000, "1.5", "true", '"' + "x" * 5000 + '"', "null"])
def test_an_odd_id_is_not_repeated_to_whoever_has_no_key(
    db: None, plain: httpx2.Client, key: str | None, number: str
) -> None:
    raw = f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}'.encode()
    refused = post(plain, key, raw)
    assert (refused.status_code, refused.json()["id"]) == (401, None)


def test_an_origin_that_is_no_address_is_foreign(alice: Caller, plain: httpx2.Client) -> None:
    assert post(plain, alice.key, LISTING, Origin="http://[").status_code == 403


def test_of_a_long_message_without_a_key_only_the_beginning_is_read(db: None, plain: httpx2.Client) -> None:
    refused = post(plain, None, b'{"id": 7, "x": [' + b"[]," * 300_000 + b"1]}")
    assert (refused.status_code, refused.json()["id"]) == (401, None)


def test_a_resource_asks_for_the_right_to_read(alice: Caller, plain: httpx2.Client) -> None:
    writer = alice.with_key(["write"])
    refused = post(plain, writer.key, message("resources/read", {"uri": "memory://x"}))
    assert (refused.status_code, 'scope="read"' in refused.headers["www-authenticate"]) == (403, True)


def test_one_tenants_calls_do_not_keep_all_others_out() -> None:
    """As many calls as a tenant may have at once wait; one more is refused, another tenant's is not."""
    import threading
    from uuid import uuid4

    import anyio

    from loci.ground.context import RequestFacts
    from loci.ground.errors import Unavailable
    from memory.mcp.threads import SHARE, Threads

    async def run() -> None:
        threads, hold, busy, other = Threads(1), threading.Event(), uuid4(), uuid4()
        async with anyio.create_task_group() as group:
            for _ in range(SHARE):
                group.start_soon(lambda: threads.run(RequestFacts(), hold.wait, tenant=busy))
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(Unavailable, match="of this tenant"):
                await threads.run(RequestFacts(), hold.wait, tenant=busy)
            group.start_soon(lambda: threads.run(RequestFacts(), hold.wait, tenant=other))
            await anyio.wait_all_tasks_blocked()
            hold.set()

    aside(run)
