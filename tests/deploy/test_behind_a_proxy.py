"""Whom Loci believes about who asks and how: the proxy before it, where it is told of one, and nobody else."""

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from loci.ground.context import current
from loci.ground.middleware import RequestContext


def _address(**headers: str) -> str | None:
    """The address that audit events of such a request bear."""
    seen = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(current.get().address)
        return HttpResponse()

    request = RequestFactory().get("/", headers={name.replace("_", "-"): value for name, value in headers.items()})
    request.resolver_match = None
    RequestContext(view)(request)
    return seen[0]


def test_without_a_proxy_the_peer_is_who_asks_whatever_it_writes() -> None:
    assert _address(X_Forwarded_For="203.0.113.9") == "127.0.0.1"


@pytest.mark.parametrize(
    ("written", "who"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("198.51.100.1,2001:db8::7", "2001:db8::7"),
        ("fe80::1%eth0", "fe80::1"),
        ("", "127.0.0.1"),
        ("somebody", "127.0.0.1"),
        ("203.0.113.9, ", "127.0.0.1"),
    ],
)
def test_behind_a_proxy_it_is_whom_the_proxy_names_last(settings: Any, written: str, who: str) -> None:
    settings.BEHIND_PROXY = True
    assert _address(X_Forwarded_For=written) == who
