"""A transport for addresses that tenants name: it connects only where `may_call` allows.

The host is resolved here, every address that its name has is checked, and the connection goes to a checked one by
number: a name that answers differently a moment later (DNS rebinding) gains nothing. TLS still checks the certificate
against the name. Proxies of the environment are not used, since a proxy would resolve the name again.
"""

import socket
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address
from ssl import SSLContext

import httpx

from memory.stores.outbound.addresses import Address, Network, may_call
from memory.stores.outbound.deadline import bind
from memory.stores.outbound.lookups import Resolver, look_ups

TRIED = 3
"""Addresses of one name that are tried, at most; the time for connecting is shared among them."""


class Refused(httpx.TransportError):
    """The address may not be called. The message names the host and no address: what a name inside the
    operator's network resolves to is no tenant's business."""


def system_resolver(host: str, port: int) -> Sequence[str]:
    """The addresses of `host`, as the system finds them. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class GuardedTransport(httpx.BaseTransport):
    """HTTP to public addresses, and to those within `allowed` networks. `owner` is whose names they are: one owner has
    few look-ups at once."""

    def __init__(
        self,
        allowed: Sequence[Network] = (),
        *,
        limits: httpx.Limits,
        resolver: Resolver = system_resolver,
        owner: str = "",
    ) -> None:
        self._allowed, self._resolver, self._owner = tuple(allowed), resolver, owner
        self._inner = httpx.HTTPTransport(verify=_tls(), limits=limits)
        bind(self._inner)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer of the first address that can be connected to. Raises Refused and httpx's errors."""
        seconds = float(request.extensions.get("timeout", {}).get("connect") or 5.0)
        addresses = self._addresses(request, seconds)[:TRIED]
        fault: httpx.TransportError = httpx.ConnectError("no address", request=request)
        for address in addresses:
            try:
                return self._inner.handle_request(_pinned(request, address, seconds / len(addresses)))
            except (httpx.ConnectError, httpx.ConnectTimeout) as unreachable:
                fault = unreachable
        raise fault

    def close(self) -> None:
        """Close all connections."""
        self._inner.close()

    def _addresses(self, request: httpx.Request, seconds: float) -> list[Address]:
        """The addresses of the request's host, all of them checked."""
        host = request.url.host
        found = [ip_address(text.partition("%")[0]) for text in self._resolved(request, host, seconds)]
        if not found:
            raise httpx.ConnectError("the name has no address", request=request)
        if not all(may_call(address, self._allowed) for address in found):
            raise Refused(f"{host} is or resolves to an address that is not public", request=request)
        return found

    def _resolved(self, request: httpx.Request, host: str, seconds: float) -> Sequence[str]:
        try:
            return [str(ip_address(host))]
        except ValueError:
            pass
        port = request.url.port or (443 if request.url.scheme == "https" else 80)
        try:
            return look_ups().addresses(self._owner, self._resolver, host, port, seconds)
        except TimeoutError:
            raise httpx.ConnectTimeout("the name is looked up for too long", request=request) from None
        except (OSError, UnicodeError):
            raise httpx.ConnectError("the name cannot be resolved", request=request) from None


def _pinned(request: httpx.Request, address: Address, seconds: float) -> httpx.Request:
    """`request` to `address` by number, its Host header and the name in TLS as they were."""
    limits = {**request.extensions.get("timeout", {}), "connect": seconds}
    return httpx.Request(
        request.method,
        request.url.copy_with(host=str(address)),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "timeout": limits, "sni_hostname": request.url.host},
    )


@lru_cache(maxsize=1)
def _tls() -> SSLContext:
    """One for all transports: making it reads the certificates of a hundred authorities."""
    return httpx.create_ssl_context()
