"""The API describes itself, and does as it says."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from memory.services.jobs import run_next
from tests.cast import Caller

UNDESCRIBED = {"schema", "docs", "unknown"}
SEED = {
    "RecallRequest": "query limit full_pipeline retry_on_weak include_trace filters token_budget as_of",
    "RecallResponse": "query results degraded notes trace tokens_estimate",
    "RecallHit": "id text score source retrievers metadata",
    "WriteItem": "text chunk source offset timestamp tags metadata",
    "WriteResponse": "results stored duplicates failed",
    "WriteResult": "id status item offset",
    "FeedbackRequest": "hit_id signal query query_type source sources reward",
    "FeedbackResponse": "ok hit_id signal reward query_type ior_recorded q_learning_updates",
    "ListResponse": "items complete",
    "ListItem": "id content_hash timestamp indexed_at",
    "Selection": "ids source index_root",
    "EraseResponse": "requested deleted complete",
    "InvalidateRequest": "ids source invalidated_at valid_until index_root",
    "InvalidateResponse": "requested invalidated complete",
}
"""The fields of mnemostack 2.6.2's HTTP API."""


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    response = Client().get("/api/v1/schema", headers={"Accept": "application/json"})
    assert response.status_code == 200
    found: dict[str, Any] = json.loads(response.content)
    return found


def operations(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in description["paths"].items():
        for method, operation in item.items():
            yield method.upper(), path, operation


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for inner in node.values():
            yield from references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from references(inner)


def validator(description: dict[str, Any], name: str) -> Draft202012Validator:
    registry = Registry().with_resource("urn:loci", Resource(description, DRAFT202012))
    return Draft202012Validator({"$ref": f"urn:loci#/components/schemas/{name}"}, registry=registry)


def test_it_is_openapi_3_1(description: dict[str, Any]) -> None:
    assert description["openapi"].startswith("3.1.")
    assert {"title", "version"} <= set(description["info"])
    identifiers = [operation["operationId"] for _, _, operation in operations(description)]
    assert len(identifiers) == len(set(identifiers))


def test_every_reference_leads_somewhere(description: dict[str, Any]) -> None:
    for reference in set(references(description)):
        node: Any = description
        for part in reference.removeprefix("#/").split("/"):
            node = node[part]


def test_every_schema_is_json_schema(description: dict[str, Any]) -> None:
    for schema in description["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_address_and_method_is_described(description: dict[str, Any]) -> None:
    described = {(method, path) for method, path, _ in operations(description)}
    api = next(entry for entry in get_resolver().url_patterns if str(entry.pattern) == "api/v1/")
    for entry in api.url_patterns:  # type: ignore[union-attr]
        if entry.name in UNDESCRIBED:
            continue
        path = "/api/v1/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(entry.pattern))
        view = entry.callback.view_class
        for method in getattr(view, "rights", None) or {"GET": None}:
            assert (method, path) in described


def test_every_operation_says_what_it_takes_and_answers(description: dict[str, Any]) -> None:
    for method, path, operation in operations(description):
        responses = operation["responses"]
        assert responses["default"] == {"$ref": "#/components/responses/Problem"}, path
        for status in set(responses) - {"default"}:
            schema = responses[status]["content"]["application/json"]["schema"]
            assert schema["$ref"], (method, path)
        if method in ("POST", "PATCH", "DELETE"):
            assert operation["requestBody"]["content"]["application/json"]["schema"]["$ref"], (method, path)
        for name in re.findall(r"\{(\w+)\}", path):
            assert name in [one["name"] for one in operation["parameters"]]
        assert operation.get("summary") or operation["description"]


def test_either_header_is_enough_and_public_pages_need_none(description: dict[str, Any]) -> None:
    for _, path, operation in operations(description):
        public = path in ("/api/v1/", "/api/v1/health") or path.startswith("/.well-known/")
        expected = None if public else [{"ApiKey": []}, {"Bearer": []}]
        assert operation.get("security") == expected, path


def test_it_is_a_superset_of_the_seeds_api(description: dict[str, Any]) -> None:
    for name, fields in SEED.items():
        assert set(fields.split()) <= set(description["components"]["schemas"][name]["properties"]), name


def test_a_field_with_a_default_may_be_left_out_of_a_request(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    assert schemas["RecallRequest"]["required"] == ["query"]
    assert schemas["WriteItem"]["required"] == ["text"]
    assert "required" not in schemas["CorrectRequest"]


def test_every_answer_is_as_described(alice: Caller, description: dict[str, Any]) -> None:
    fields = {"source": "s", "metadata": {"a": [1, {"b": None}]}, "tags": ["t"], "timestamp": "2026-01-01"}
    (stored,) = alice.remember("The parrot sings.", **fields)
    many = alice.post("memories", {"items": [{"text": f"Item {n}."} for n in range(65)]})
    run_next()
    answers = {
        "RootResponse": alice.get(""),
        "HealthResponse": alice.get("health"),
        "StatusResponse": alice.get("status"),
        "ResourceMetadata": alice.get("/.well-known/oauth-protected-resource"),
        "ToolList": alice.get("tools"),
        "ToolResult": alice.post("tools/memory_search", {"query": "parrot"}),
        "WriteResponse": alice.post("memories", {"items": [{"text": "The parrot sings.", **fields}]}),
        "JobAccepted": many,
        "JobResponse": alice.get(f"jobs/{many.json()['job']}"),
        "JobList": alice.get("jobs"),
        "ListResponse": alice.get("memories?source=s"),
        "MemoryResponse": alice.get(f"memories/{stored}"),
        "RecallResponse": alice.post("recall", {"query": "parrot", "include_trace": True}),
        "WhyResponse": alice.post("recall/why", {"query": "parrot", "memory_id": stored}),
        "FeedbackResponse": alice.post("feedback", {"hit_id": stored, "signal": "useful"}),
        "GoldenAdded": alice.post("golden-questions", {"questions": [{"question": "parrot?", "expect": [stored]}]}),
        "GoldenPage": alice.get("golden-questions"),
        "RankedRunResponse": alice.post("golden-runs", {}),
        "RunList": alice.get("golden-runs"),
        "GoldenRemoved": alice.call("DELETE", "golden-questions", {"ids": [stored]}),
        "SettingsAnswer": alice.with_key(["admin"]).get("settings"),
        "InvalidateResponse": alice.post("invalidate", {"ids": [stored]}),
        "EraseResponse": alice.call("DELETE", "memories", {"ids": [stored]}),
        "Problem": alice.get(f"memories/{stored}"),
    }
    for name, answer in answers.items():
        validator(description, name).validate(answer.json())
    validator(description, "Problem").validate(alice.post("recall", {"query": 7, "x": 1}).json())
    assert set(description["components"]["schemas"]) - set(answers) <= {
        "ChangeResponse", "CorrectRequest", "DatesChange", "DatesSettings", "FeedbackRequest", "GoldenItem",
        "GoldenOutcome", "GoldenQuestionResponse", "GoldenRemoval", "GoldenRequest", "InvalidateRequest", "JsonValue",
        "LanguageModelChange", "LanguageModelSettings", "ListItem", "NeighborResponse", "RecallChange", "RecallHit",
        "RecallRequest",
        "RecallSettings", "RunRequest", "RunResponse", "Selection", "SettingsChange", "TenantStatus", "ToolArguments",
        "Turn", "WhyRequest", "WhyRetriever",
        "WriteItem", "WriteRequest", "WriteResult",
    }  # fmt: skip


def test_the_page_keeps_to_the_strict_policy_and_loads_nothing_from_elsewhere(db: None) -> None:
    page = Client().get("/api/v1/docs")
    html = page.content.decode()
    assert page.status_code == 200
    policy = page["Content-Security-Policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy
    assert not re.search(r"<style|style=|<script(?![^>]* src=)|\bon\w+=", html)
    addresses = re.findall(r'(?:src|href)="([^"]+)"', html)
    assert len(addresses) == 5
    for address in addresses:
        assert address.startswith("/") and not address.startswith("//")
        response = Client().get(address)
        response.close()
        assert response.status_code == 200, address
    script = Client().get(addresses[-1])
    assert script["Content-Type"].startswith("application/javascript")
    assert "/api/v1/schema" in script.content.decode()
    assert not re.findall(r"https?://[^\s\"']+", script.content.decode())
