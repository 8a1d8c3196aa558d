"""Addresses and methods that are not there, and the right that HEAD needs."""

import pytest

from tests.api.answers import problem
from tests.cast import Caller

pytestmark = pytest.mark.usefixtures("no_errors_logged")
UUID = "00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/memories/", "/api/v2/recall", "/api/", "/api/v1/%00"])
def test_an_unknown_address_below_api_is_a_problem_too(alice: Caller, method: str, path: str) -> None:
    problem(alice.call(method, path, {"x": 1}), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "memories", "POST, GET, DELETE"),
        ("PATCH", "recall", "POST"),
        ("GET", "recall", "POST"),
        ("DELETE", "jobs", "GET"),
        ("POST", f"memories/{UUID}", "GET, PATCH"),
        ("TRACE", "status", "GET"),
        ("BREW", "invalidate", "POST"),
        ("POST", "health", "GET"),
    ],
)
def test_a_method_that_an_address_does_not_know_is_405(alice: Caller, method: str, path: str, allowed: str) -> None:
    answer = alice.call(method, path, {"x": 1})
    problem(answer, 405, "method_not_allowed")
    assert set(allowed.split(", ")) <= set(answer["Allow"].split(", "))


def test_head_needs_the_right_that_get_needs(alice: Caller) -> None:
    writer = alice.with_key(["write"])
    (stored,) = alice.remember("Here.")
    assert alice.call("HEAD", f"memories/{stored}").status_code == 200
    assert writer.call("HEAD", f"memories/{stored}").status_code == 403
    assert writer.call("HEAD", "status").status_code == 403
