from django.apps import AppConfig


class LociConfig(AppConfig):
    """The building itself. Labelled `platform`, after the folder that holds it."""

    name = "loci"
    label = "platform"
    verbose_name = "Loci"

    def ready(self) -> None:
        from loci import celery  # noqa: F401  (makes it the default application)
