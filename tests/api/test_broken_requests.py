"""Requests that are broken as HTTP: refused as their sender's fault, nothing stored, nothing logged as our error."""

import json
import logging

import pytest
from django.test import Client

WRITE = json.dumps({"items": [{"text": "The parrot sings."}]}).encode()


@pytest.fixture(autouse=True)
def nothing_is_an_error_of_ours(no_errors_logged: None) -> None:
    pass


@pytest.mark.parametrize("path", ["/healthz", "/sign-in", "/api/v1/status", "/nothing"])
@pytest.mark.parametrize("host", ["evil.example", "a b", "127.0.0.1:port", "[::1", "\xff"])
def test_a_host_that_is_not_ours_is_refused_in_one_line(
    db: None, path: str, host: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert Client(raise_request_exception=False).get(path, headers={"Host": host}).status_code == 400
    (refused,) = [record for record in caplog.records if record.name.startswith("django.security")]
    assert (refused.levelno, refused.exc_info) == (logging.WARNING, None)


@pytest.mark.parametrize("kind", ["DisallowedHost", "SuspiciousFileOperation", "TooManyFieldsSent", "csrf"])
def test_nothing_that_is_refused_as_suspicious_is_logged_as_an_error(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger(f"django.security.{kind}").error("odd " * 200, exc_info=ValueError("odd"))
    (record,) = caplog.records
    assert (record.levelno, record.levelname, record.exc_info) == (logging.WARNING, "WARNING", None)
    assert len(record.getMessage()) == 300


def test_more_fields_than_a_form_may_have_are_refused(db: None) -> None:
    assert Client().post("/sign-in", {f"f{n}": "" for n in range(1001)}).status_code == 400
