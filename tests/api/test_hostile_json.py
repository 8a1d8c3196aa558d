"""Bodies that are no JSON, or JSON that nobody should have to read: refused by the place of the fault, none kept."""

import io
import json
from typing import Any

import pytest
from django.test import Client

from tests.api.answers import problem, stored_rows
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")

BODIES: list[tuple[bytes, str]] = [
    (b"", "/items"),
    (b"{", ""),
    (b"{'items': []}", ""),
    (b'{"items": [{"text": "x"}],}', ""),
    (b'{"items": [{"text": "x"}]} trailing', ""),
    (b"null", ""),
    (b"[]", ""),
    (b'"text"', ""),
    (b"7", ""),
    (b'\xef\xbb\xbf{"items": [{"text": "x"}]}', ""),
    (b'{"items": [{"text": "\xff\xfe"}]}', ""),
    (b'{"items": [{"text": "\xed\xa0\x80"}]}', ""),
    ('{"items": [{"text": "x"}]}'.encode("utf-16"), ""),
    (b'{"items": [{"text": "x", "confidence": NaN}]}', ""),
    (b'{"items": [{"text": "x", "metadata": {"a": Infinity}}]}', ""),
    (b'{"items": [{"text": "x", "metadata": {"a": -Infinity}}]}', ""),
    (b'{"items": [{"text": "x", "metadata": {"a": 1e400}}]}', ""),
    (b'{"items": [{"text": "x", "metadata": {"a": [-1e400]}}]}', ""),
    (b'{"items": [{"text": "x", "confidence": 1e400}]}', ""),
    (b'{"items": [{"text": "x", "offset": ' + b"9" * 5000 + b"}]}", ""),
    (b'{"items": [{"text": "x", "offset": 9223372036854775808}]}', "/items/0/offset"),
    (b'{"items": [{"text": "x", "offset": -1}]}', "/items/0/offset"),
    (b'{"items": [{"text": "x", "offset": 1.5}]}', "/items/0/offset"),
    (b'{"items": [{"text": "x", "metadata": {"a": 9223372036854775808}}]}', "/items/0/metadata"),
    (b'{"items": [{"text": "x", "metadata": {"a": [{"b": -9223372036854775809}]}}]}', "/items/0/metadata"),
    (b'{"items": [{"text": "x", "metadata": {"a": ' + b"9" * 400 + b"}}]}", "/items/0/metadata"),
    (b'{"items": [{"text": "x"}], "items": []}', "/items"),
    (b'{"items": [{"text": "x", "text": "y"}]}', "/items/0/text"),
    (b'{"items": [{"text": "x", "metadata": {"a": {"b": 1, "b": 1}}}]}', "/items/0/metadata/a/b"),
]


@pytest.mark.parametrize(("body", "pointer"), BODIES)
def test_a_body_that_is_no_plain_json_is_refused(alice: Caller, body: bytes, pointer: str) -> None:
    problem(alice.post("memories", body), 422, "invalid_request", pointer)
    assert stored_rows(alice.tenant) == {}


@pytest.mark.parametrize("depth", [34, 200, 1_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [('{"a":', "}"), ("[", "]")])
def test_metadata_nested_too_deep_is_refused(alice: Caller, depth: int, opening: str, closing: str) -> None:
    nested = opening * depth + "1" + closing * depth
    body = f'{{"items": [{{"text": "x", "metadata": {{"a": {nested}}}}}]}}'.encode()
    problem(alice.post("memories", body), 422, "invalid_request")
    assert stored_rows(alice.tenant) == {}


@pytest.mark.parametrize("depth", [9, 1_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [('{"not":', "}"), ('{"and":[', "]}")])
def test_filters_nested_too_deep_are_refused(alice: Caller, depth: int, opening: str, closing: str) -> None:
    nested = opening * depth + '{"source": "x"}' + closing * depth
    problem(alice.post("recall", f'{{"query": "x", "filters": {nested}}}'.encode()), 422, "invalid_request")


def test_a_whole_body_nested_too_deep_is_refused(alice: Caller) -> None:
    for depth in (1_000, 100_000):
        problem(alice.post("recall", b"[" * depth + b"]" * depth), 422, "invalid_request")
        problem(alice.post("recall", b"[" * depth), 422, "invalid_request")


@pytest.mark.parametrize("bad", ["\\u0000", "\\ud800", "\\udfff", "\\uDC00x", "\\ud83d \\ude00", "\\udbff"])
@pytest.mark.parametrize(
    ("path", "template", "pointer"),
    [
        ("memories", '{"items": [{"text": "a%s"}]}', "/items/0/text"),
        ("memories", '{"items": [{"text": "a"}, {"text": "b", "source": "%s"}]}', "/items/1/source"),
        ("memories", '{"items": [{"text": "a", "tags": ["fine", "%s"]}]}', "/items/0/tags/1"),
        ("memories", '{"items": [{"text": "a", "subject": "%s"}]}', "/items/0/subject"),
        ("memories", '{"items": [{"text": "a", "agent": "%s"}]}', "/items/0/agent"),
        ("memories", '{"items": [{"text": "a", "namespace": "%s"}]}', "/items/0/namespace"),
        ("memories", '{"items": [{"text": "a", "kind": "%s"}]}', "/items/0/kind"),
        ("memories", '{"items": [{"text": "a", "timestamp": "%s"}]}', "/items/0/timestamp"),
        ("memories", '{"items": [{"text": "a", "metadata": {"k": "%s"}}]}', "/items/0/metadata/k"),
        ("memories", '{"items": [{"text": "a", "metadata": {"k": [{"l": "%s"}]}}]}', "/items/0/metadata/k/0/l"),
        ("memories", '{"items": [{"text": "a", "metadata": {"%s": 1}}]}', None),
        ("memories", '{"items": [{"text": "a", "%s": 1}]}', None),
        ("recall", '{"query": "%s"}', "/query"),
        ("recall", '{"query": "a", "as_of": "%s"}', "/as_of"),
        ("recall", '{"query": "a", "namespaces": ["%s"]}', "/namespaces/0"),
        ("recall", '{"query": "a", "filters": {"source": "%s"}}', "/filters/source"),
        ("recall", '{"query": "a", "filters": {"tags": {"any": ["%s"]}}}', "/filters/tags/any/0"),
        ("recall", '{"query": "a", "filters": {"%s": 1}}', None),
        ("invalidate", '{"source": "%s"}', "/source"),
        ("invalidate", '{"ids": ["%s"]}', "/ids/0"),
    ],
)
def test_no_nul_and_no_lone_surrogate_gets_in_anywhere(
    alice: Caller, bad: str, path: str, template: str, pointer: str | None
) -> None:
    problem(alice.post(path, (template % bad).encode()), 422, "invalid_request", pointer)
    assert stored_rows(alice.tenant) == {}


def test_a_raw_nul_byte_is_refused(alice: Caller) -> None:
    problem(alice.post("memories", b'{"items": [{"text": "a\0"}]}'), 422)


def test_surrogate_pairs_are_fine(alice: Caller) -> None:
    body = b'{"items": [{"text": "smile \\ud83d\\ude00", "metadata": {"\\ud83d\\ude00": "\\ud83d\\ude00"}}]}'
    assert alice.post("memories", body).status_code == 200
    assert alice.found("smile", filters={"😀": "😀"}) == ["smile 😀"]


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
@pytest.mark.parametrize("path", ["memories", "recall", "invalidate"])
def test_another_content_type_is_told_what_to_send(alice: Caller, content_type: str, path: str) -> None:
    response = Client().generic(
        "POST", f"/api/v1/{path}", b'{"query": "x"}', content_type=content_type, headers={"X-API-Key": alice.key}
    )
    assert "application/json" in problem(response, 415, "unsupported_media_type")["detail"]


def test_a_charset_parameter_is_fine(alice: Caller) -> None:
    response = Client().generic(
        "POST", "/api/v1/recall", b'{"query": "x"}', "application/json; charset=utf-8", headers={"X-API-Key": alice.key}
    )
    assert response.status_code == 200


def test_a_body_over_32_mb_is_refused(alice: Caller) -> None:
    body = json.dumps({"items": [{"text": "x" * (32 * 2**20)}]}).encode()
    problem(alice.post("memories", body), 413, "too_large")
    assert stored_rows(alice.tenant) == {}


def test_a_body_that_only_says_it_is_over_32_mb_is_refused_unread(alice: Caller) -> None:
    response = Client().generic(
        "POST", "/api/v1/memories", b"{}", "application/json", CONTENT_LENGTH=str(33 * 2**20), HTTP_X_API_KEY=alice.key
    )
    problem(response, 413, "too_large")


def chunked(caller: Caller, path: str, body: bytes) -> Any:
    """A response to a body without Content-Length, as a server hands over `Transfer-Encoding: chunked`."""
    return Client().generic(
        "POST",
        f"/api/v1/{path}",
        body,
        "application/json",
        CONTENT_LENGTH="",
        HTTP_TRANSFER_ENCODING="chunked",
        HTTP_X_API_KEY=caller.key,
        **{"wsgi.input": io.BytesIO(body), "wsgi.input_terminated": True},
    )


def test_a_chunked_body_is_read(alice: Caller) -> None:
    assert chunked(alice, "memories", b'{"items": [{"text": "In pieces."}]}').json()["stored"] == 1


def test_a_chunked_body_over_32_mb_is_refused(alice: Caller) -> None:
    problem(chunked(alice, "memories", b'{"items": [{"text": "' + b"x" * 33 * 2**20 + b'"}]}'), 413, "too_large")
    assert stored_rows(alice.tenant) == {}
