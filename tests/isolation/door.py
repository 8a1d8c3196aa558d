"""Requests to the REST door. One client for all of them: making one reads every static file's headers anew."""

import json
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

API = "/api/v1/"
_client = Client(raise_request_exception=False)
REQUEST_ID = "isolation-probe"
visited: set[tuple[str, str]] = set()
"""(address, method) of every request so far."""


@dataclass(frozen=True)
class Answer:
    """What came back: all of it that could tell two answers apart."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.body else None

    @property
    def code(self) -> str:
        """The problem's code; empty for an answer that is none."""
        document = self.json
        return document.get("code", "") if isinstance(document, dict) and self.status >= 400 else ""


def send(key: str | None, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """One request. Each carries the same request id, so that equal answers are equal byte for byte."""
    given = {"X-Request-ID": REQUEST_ID, **{name.replace("_", "-"): value for name, value in headers.items()}}
    if key is not None:
        given["X-API-Key"] = key
    response = _client.generic(
        method,
        path if path.startswith("/") else API + path,
        b"" if body is None else json.dumps(body).encode(),
        content_type="application/json",
        headers=given,
    )
    if response.resolver_match:
        visited.add((f"/{response.resolver_match.route}", method))
    return Answer(response.status_code, response.content, dict(response.headers))
