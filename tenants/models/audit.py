from django.db import models

from loci.ground.ids import uuid7
from tenants.models.tenant import Tenant


class AuditEvent(models.Model):
    """What was done by whom. Append-only: the application's role may only insert and select. Holds no memory text."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="audit_events")
    at = models.DateTimeField()
    action = models.CharField(max_length=64)
    actor = models.CharField(max_length=160)
    request_id = models.CharField(max_length=64, blank=True)
    trace_id = models.CharField(max_length=64, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["tenant", "id"], name="auditevent_tenant_id")]
        indexes = [models.Index(fields=["tenant", "-at"], name="auditevent_tenant_at")]

    def __str__(self) -> str:
        return self.action
