"""What REST views share: the scope, the right, the rate; once, in this order."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpRequest
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from billing import rates
from billing.rates import Allowance
from memory.api.parsing import no_query
from tenants.authentication import require
from tenants.scope import Right, Scope


class ScopedView(APIView):
    """A view for the holder of a key. `rights` names what each method needs; a method without one is refused."""

    rights: ClassVar[Mapping[str, Right]] = {}
    queried: ClassVar[frozenset[str]] = frozenset()
    """The methods that take query parameters; elsewhere one is a fault."""
    scope: Scope
    allowance: Allowance | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate, authorise, then count the request against the tenant's rate."""
        super().initial(request, *args, **kwargs)
        assert isinstance(request.auth, Scope)  # HasScope has seen to it
        self.scope = request.auth
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method in self.rights:
            require(self.scope, self.rights[method])
        elif method != "OPTIONS":
            raise MethodNotAllowed(method)
        self.allowance = rates.take(self.scope)
        if method not in self.queried:
            no_query(request)

    def finalize_response(self, request: HttpRequest | Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        """Tell what is left of the rate."""
        done: Response = super().finalize_response(request, response, *args, **kwargs)  # type: ignore[arg-type]
        if self.allowance:
            for name, value in self.allowance.headers.items():
                done.headers.setdefault(name, value)
        return done
