"""Well-formed JSON with the wrong things in it."""

from typing import Any

import pytest

from tests.api.answers import problem, stored_rows
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")
UUID = "00000000-0000-4000-8000-000000000000"


def item(**fields: Any) -> dict[str, Any]:
    return {"items": [{"text": "x", **fields}]}


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/items"),
        ({"items": []}, "/items"),
        ({"items": {}}, "/items"),
        ({"items": "x"}, "/items"),
        ({"items": [{}]}, "/items/0/text"),
        ({"items": ["x"]}, "/items/0"),
        ({"items": [None]}, "/items/0"),
        ({"items": [{"text": "x"}], "extra": 1}, "/extra"),
        ({"items": [{"text": "x", "tenant": "globex"}]}, "/items/0/tenant"),
        ({"items": [{"text": "x", "a/b~c": 1}]}, "/items/0/a~1b~0c"),
        ({"items": [{"text": ""}]}, "/items/0/text"),
        ({"items": [{"text": 7}]}, "/items/0/text"),
        ({"items": [{"text": ["x"]}]}, "/items/0/text"),
        ({"items": [{"text": "x" * 262_145}]}, "/items/0/text"),
        ({"items": [{"text": "x"}] * 1001}, "/items"),
        (item(chunk="true"), "/items/0/chunk"),
        (item(chunk=1), "/items/0/chunk"),
        (item(source=7), "/items/0/source"),
        (item(source=None), "/items/0/source"),
        (item(offset="0"), "/items/0/offset"),
        (item(offset=True), "/items/0/offset"),
        (item(offset=2**53), "/items/0/offset"),
        (item(timestamp="2026-01-01T00:00:00Z" + " " * 45), "/items/0/timestamp"),
        (item(timestamp="yesterday"), "/items/0/timestamp"),
        (item(timestamp="2026-02-30"), "/items/0/timestamp"),
        (item(timestamp="0001-01-01T00:00:00+01:00"), "/items/0/timestamp"),
        (item(timestamp="9999-12-31T23:59:59-01:00"), "/items/0/timestamp"),
        (item(timestamp=1767225600), "/items/0/timestamp"),
        (item(timestamp=""), "/items/0/timestamp"),
        (item(tags="a"), "/items/0/tags"),
        (item(tags=[7]), "/items/0/tags/0"),
        (item(tags=[""]), "/items/0/tags/0"),
        (item(tags=["x" * 129]), "/items/0/tags/0"),
        (item(tags=[str(n) for n in range(33)]), "/items/0/tags"),
        (item(metadata=[]), "/items/0/metadata"),
        (item(metadata="x"), "/items/0/metadata"),
        (item(metadata={str(n): n for n in range(33)}), "/items/0/metadata"),
        (item(metadata={"a": "x" * 16_384}), "/items/0/metadata"),
        (item(namespace=""), "/items/0/namespace"),
        (item(namespace="*"), "/items/0/namespace"),
        (item(namespace="a|b"), "/items/0/namespace"),
        (item(namespace="n" * 129), "/items/0/namespace"),
        (item(subject=""), "/items/0/subject"),
        (item(subject="s" * 257), "/items/0/subject"),
        (item(agent=""), "/items/0/agent"),
        (item(agent="a" * 129), "/items/0/agent"),
        (item(kind="poem"), "/items/0/kind"),
        (item(confidence=1.01), "/items/0/confidence"),
        (item(confidence=-0.01), "/items/0/confidence"),
        (item(confidence="high"), "/items/0/confidence"),
    ],
)
def test_a_write_that_does_not_fit_the_schema_points_at_the_fault(
    alice: Caller, body: dict[str, Any], pointer: str
) -> None:
    problem(alice.post("memories", body), 422, "invalid_request", pointer)
    assert stored_rows(alice.tenant) == {}


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (item(text=" \n\t "), "items[0]: text is blank"),
        (item(text=" " * 900, chunk=True, source="s"), "items[0]: text is blank"),
        (item(text="x" * 32_769), "items[0]: text exceeds 32768 characters"),
        (item(source="s" * 1025), "items[0]: source exceeds 1024 characters"),
        (item(source="a|b"), "items[0]: source must not contain"),
        (item(source="a\nb"), "items[0]: source must not contain"),
        (item(source="a\x7fb"), "items[0]: source must not contain"),
        (item(chunk=True), "items[0]: chunk needs a source and offset 0"),
        (item(chunk=True, source="  "), "items[0]: chunk needs a source and offset 0"),
        (item(chunk=True, source="s", offset=1), "items[0]: chunk needs a source and offset 0"),
        (item(metadata={"": 1}), "items[0]: metadata key ''"),
        (item(metadata={"_x": 1}), "items[0]: metadata key '_x'"),
        (item(metadata={"valid_from": 7}), "items[0]: metadata.valid_from"),
        (item(metadata={"valid_from": "current"}), "items[0]: metadata.valid_from"),
        (item(metadata={"valid_until": "soon"}), "items[0]: metadata.valid_until"),
    ],
)
def test_a_write_against_a_rule_names_the_item(alice: Caller, body: dict[str, Any], detail: str) -> None:
    assert problem(alice.post("memories", body), 400, "rule_broken")["detail"].startswith(detail)
    assert stored_rows(alice.tenant) == {}


def test_one_bad_item_among_many_stores_none(alice: Caller) -> None:
    items = [{"text": f"Item {n}."} for n in range(63)]
    problem(alice.post("memories", {"items": [*items, {"text": " "}]}), 400)
    problem(alice.post("memories", {"items": [*items, {"text": 1}]}), 422, pointer="/items/63/text")
    assert stored_rows(alice.tenant) == {}


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("recall", {}, "/query"),
        ("recall", {"query": ""}, "/query"),
        ("recall", {"query": 7}, "/query"),
        ("recall", {"query": "x" * 32_769}, "/query"),
        ("recall", {"query": "x", "limit": 0}, "/limit"),
        ("recall", {"query": "x", "limit": 101}, "/limit"),
        ("recall", {"query": "x", "limit": 10**30}, "/limit"),
        ("recall", {"query": "x", "limit": "10"}, "/limit"),
        ("recall", {"query": "x", "limit": True}, "/limit"),
        ("recall", {"query": "x", "token_budget": 0}, "/token_budget"),
        ("recall", {"query": "x", "full_pipeline": "no"}, "/full_pipeline"),
        ("recall", {"query": "x", "filters": []}, "/filters"),
        ("recall", {"query": "x", "filters": "source:x"}, "/filters"),
        ("recall", {"query": "x", "namespaces": "default"}, "/namespaces"),
        ("recall", {"query": "x", "namespaces": ["*"]}, "/namespaces/0"),
        ("recall", {"query": "x", "namespaces": ["n"] * 65}, "/namespaces"),
        ("recall", {"query": "x", "as_of": 7}, "/as_of"),
        ("recall", {"query": "x", "tenant": "globex"}, "/tenant"),
        ("invalidate", {}, ""),
        ("invalidate", {"ids": []}, "/ids"),
        ("invalidate", {"ids": ["nonsense"]}, "/ids/0"),
        ("invalidate", {"ids": [UUID, 1.5]}, "/ids/1"),
        ("invalidate", {"ids": [True]}, "/ids/0"),
        ("invalidate", {"ids": [-1]}, "/ids/0"),
        ("invalidate", {"ids": [2**64]}, "/ids/0"),
        ("invalidate", {"ids": ["9" * 5000]}, "/ids/0"),
        ("invalidate", {"ids": ["²"]}, "/ids/0"),
        ("invalidate", {"ids": [None]}, "/ids/0"),
        ("invalidate", {"ids": [UUID] * 257}, "/ids"),
        ("invalidate", {"ids": [UUID], "source": "s"}, ""),
        ("invalidate", {"source": ""}, "/source"),
        ("invalidate", {"source": "s" * 1025}, "/source"),
        ("invalidate", {"source": "s", "index_root": "r" * 4097}, "/index_root"),
        ("invalidate", {"source": "s", "valid_until": "current"}, "/valid_until"),
        ("invalidate", {"source": "s", "invalidated_at": "2026-13-01"}, "/invalidated_at"),
        ("invalidate", {"source": "s", "force": True}, "/force"),
    ],
)
def test_other_bodies_that_do_not_fit_point_at_the_fault(
    alice: Caller, path: str, body: dict[str, Any], pointer: str
) -> None:
    problem(alice.post(path, body), 422, "invalid_request", pointer)


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ("memories", "/query/source"),
        ("memories?source=", "/query/source"),
        ("memories?source=s&limit=0", "/query/limit"),
        ("memories?source=s&limit=501", "/query/limit"),
        ("memories?source=s&limit=ten", "/query/limit"),
        ("memories?source=s&limit=1e400", "/query/limit"),
        ("memories?source=s&limit=" + "9" * 5000, "/query/limit"),
        ("memories?source=s&after=nonsense", "/query/after"),
        ("memories?source=s&page=2", "/query/page"),
        ("memories?source=s&source=t", "/query/source"),
        ("memories?source=a%00b", "/query/source"),
        ("memories?source=s&%00=1", None),
        ("memories?source=%ff", "/query/source"),
        ("memories?source=%ed%a0%80", "/query/source"),
        ("memories?source=" + "s" * 1025, "/query/source"),
        ("memories?source=s&format=xml", "/query/format"),
        ("jobs?limit=201", "/query/limit"),
        ("jobs?before=yesterday", "/query/before"),
        ("jobs?state=queued", "/query/state"),
        ("status?verbose=1", "/query/verbose"),
    ],
)
def test_query_parameters_that_do_not_fit_are_named(alice: Caller, path: str, pointer: str | None) -> None:
    problem(alice.get(path), 422, "invalid_request", pointer)


def test_a_query_parameter_where_none_is_taken_is_refused(alice: Caller) -> None:
    problem(alice.post("recall?limit=5", {"query": "x"}), 422, pointer="/query/limit")
    problem(alice.post("memories?dry_run=1", item()), 422, pointer="/query/dry_run")
    assert stored_rows(alice.tenant) == {}


@pytest.mark.parametrize("given", ["nonsense", "1", "x" * 300, "%00", "..%2f..%2fetc", f"{UUID}%0a", "ünï"])
@pytest.mark.parametrize("path", ["memories", "jobs"])
def test_an_id_in_the_path_that_is_none_is_not_found(alice: Caller, path: str, given: str) -> None:
    problem(alice.get(f"{path}/{given}"), 404, "not_found")


@pytest.mark.parametrize("given", ["nonsense", '"nonsense"', "W/x", "", '"', "a\0b", "é"])
def test_an_if_match_that_is_no_etag_is_named(alice: Caller, given: str) -> None:
    (stored,) = alice.remember("Here.")
    answer = alice.call("PATCH", f"memories/{stored}", {"text": "There."}, If_Match=given)
    problem(answer, 422, "invalid_request", "/header/If-Match")
    assert alice.get(f"memories/{stored}").json()["text"] == "Here."


@pytest.mark.parametrize("given", ["", " ", '""', "k" * 256])
def test_an_idempotency_key_of_no_or_too_many_characters_is_named(alice: Caller, given: str) -> None:
    answer = alice.post("memories", item(), Idempotency_Key=given)
    problem(answer, 422, "invalid_request", "/header/Idempotency-Key")
    assert stored_rows(alice.tenant) == {}


@pytest.mark.parametrize("given", ["a\0b", "\xff\xfe", "ö" * 64, "'; DROP TABLE memory_memory; --", "%s%(x)s"])
def test_strange_headers_are_only_data(alice: Caller, given: str) -> None:
    answer = alice.post("memories", item(), Idempotency_Key=given, X_Request_ID=given, traceparent=given)
    assert answer.status_code == 200
    assert answer["X-Request-ID"] != given
    assert alice.post("memories", item(), Idempotency_Key=given).headers["Idempotency-Replayed"] == "true"


def test_a_fault_shows_at_most_a_little_of_what_was_sent(alice: Caller) -> None:
    answer = alice.post("memories", {"items": [{"text": "x", "k" * 100_000: "v" * 100_000}]})
    assert len(answer.content) < 5_000
    problem(answer, 422)
