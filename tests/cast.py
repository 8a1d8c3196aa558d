"""The cast: alice and bob of acme, charlie of globex; each speaks to Loci through a door."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.test import Client

from tenants.authentication import operator_scope, scope_of_key
from tenants.scope import Scope
from tenants.services.keys import issue_key

API = "/api/v1/"
CLIENT = Client()
"""One for all: each new one would read every static file anew. It keeps no cookie, since REST sets none."""


@dataclass(frozen=True)
class Caller:
    """Someone with a service key."""

    tenant: UUID
    key: str

    @property
    def scope(self) -> Scope:
        """What the key resolves to."""
        return scope_of_key(self.key)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The response of a REST call; `body` goes as JSON, bytes as they are."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return CLIENT.generic(
            method,
            path if path.startswith("/") else API + path,
            data,
            content_type="application/json",
            headers={"X-API-Key": self.key, **{name.replace("_", "-"): value for name, value in headers.items()}},
        )

    def get(self, path: str, **headers: str) -> Any:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Any:
        return self.call("POST", path, body, **headers)

    def remember(self, *texts: str, **fields: Any) -> list[str]:
        """Store texts with the same further fields; their ids."""
        answer = self.post("memories", {"items": [{"text": text, **fields} for text in texts]})
        assert answer.status_code == 200, answer.content
        return [result["id"] for result in answer.json()["results"]]

    def recall(self, query: str, **fields: Any) -> dict[str, Any]:
        """The answer to a recall."""
        answer = self.post("recall", {"query": query, **fields})
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def found(self, query: str, **fields: Any) -> list[str]:
        """The texts that a recall finds, best first."""
        return [result["text"] for result in self.recall(query, **fields)["results"]]

    def with_key(self, scopes: Sequence[str] = ("read", "write"), **narrowing: Any) -> "Caller":
        """The same tenant through a new key."""
        return Caller(self.tenant, issue_key(operator_scope(self.tenant, "test"), scopes=scopes, **narrowing).secret)


MakeCaller = Callable[..., Caller]
