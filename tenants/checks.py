"""Refuses set-ups in which row-level security would not hold."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register


@register(Tags.security)
def app_is_not_owner(**_: Any) -> list[CheckMessage]:
    """The application's role must not own the tables: an owner is exempt from row-level security."""
    if settings.DATABASES["default"]["USER"] != settings.DATABASES["owner"]["USER"]:
        return []
    return [
        Error(
            "DATABASE_URL and DATABASE_OWNER_URL name the same role, so row-level security would not apply.",
            hint="Give the application a role of its own that owns nothing (docs/deployment.md).",
            id="tenants.E001",
        )
    ]
