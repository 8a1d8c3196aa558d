from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    """The HTMX face; owns no models."""

    name = "console"
