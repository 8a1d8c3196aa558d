from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """What is remembered, and how it is found again."""

    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from memory import checks  # noqa: F401
