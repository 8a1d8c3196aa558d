"""What a tenant has set otherwise than the defaults."""

from django.db import models

from tenants.models import Tenant


class Settings(models.Model):
    """One row a tenant, made at the first change. `chosen` holds what differs from the defaults and no secret.

    `version` counts the changes. The key of the tenant's language model is encrypted at rest.
    """

    tenant = models.OneToOneField(Tenant, on_delete=models.CASCADE, primary_key=True, related_name="+")
    chosen = models.JSONField(default=dict)
    sealed_llm_key = models.BinaryField(null=True)
    version = models.IntegerField(default=0)
    changed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"version {self.version}"
