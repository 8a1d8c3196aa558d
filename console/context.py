"""The context processor of the console's templates."""

from typing import Any

from django.http import HttpRequest

from console.access import Chrome


def chrome(request: HttpRequest) -> dict[str, Any]:
    """`chrome`: theme, tenants and rights, each worked out only when it is asked for."""
    return {"chrome": Chrome(request)}
