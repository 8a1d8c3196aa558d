"""Who asks over REST: a service key, resolved to a scope that stands in `request.auth`."""

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from tenants.authentication import key_in_headers, scope_of_key
from tenants.scope import Scope


class ServiceKeyAuthentication(BaseAuthentication):
    """`X-API-Key`, which wins, or `Authorization: Bearer`."""

    def authenticate(self, request: Request) -> tuple[Any, Scope]:
        return None, scope_of_key(key_in_headers(request.headers))

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="loci"'


class HasScope(BasePermission):
    """Nobody without a scope: the default for every view that does not say otherwise."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.auth, Scope)
