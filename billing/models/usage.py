from django.db import models

from loci.ground.ids import uuid7
from tenants.models import Tenant


class UsageEvent(models.Model):
    """One metered thing; append-only."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="usage_events")
    at = models.DateTimeField()
    meter = models.CharField(max_length=48)
    quantity = models.BigIntegerField()
    actor = models.CharField(max_length=160)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["tenant", "id"], name="usageevent_tenant_id")]
        indexes = [models.Index(fields=["tenant", "meter", "at"], name="usageevent_tenant_meter_at")]

    def __str__(self) -> str:
        return f"{self.meter} {self.quantity}"
