"""What REST views share: the scope, the right, the rate; once, in this order."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from billing import rates
from billing.rates import Allowance
from tenants.authentication import require
from tenants.scope import Right, Scope


class ScopedView(APIView):
    """A view for the holder of a key. `rights` names what each method needs; a method without one is refused."""

    rights: ClassVar[Mapping[str, Right]] = {}
    scope: Scope
    allowance: Allowance | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate, authorise, then count the request against the tenant's rate."""
        super().initial(request, *args, **kwargs)
        assert isinstance(request.auth, Scope)  # HasScope has seen to it
        self.scope = request.auth
        if request.method not in ("OPTIONS", "HEAD") or request.method in self.rights:
            require(self.scope, self.rights[str(request.method)])
        self.allowance = rates.take(self.scope)

    def finalize_response(
        self, request: HttpRequest | Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """Tell what is left of the rate."""
        done: Response = super().finalize_response(request, response, *args, **kwargs)
        if self.allowance:
            for name, value in self.allowance.headers.items():
                done.headers.setdefault(name, value)
        return done
