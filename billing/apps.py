from django.apps import AppConfig


class BillingConfig(AppConfig):
    """What it costs: quotas, rates, the usage ledger."""

    name = "billing"
    default_auto_field = "django.db.models.BigAutoField"
