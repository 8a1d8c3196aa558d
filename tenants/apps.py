from django.apps import AppConfig


class TenantsConfig(AppConfig):
    """Who is asking: tenants, members, service keys, the audit trail."""

    name = "tenants"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from tenants import checks  # noqa: F401
