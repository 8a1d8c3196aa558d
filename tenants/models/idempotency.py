from django.db import models

from tenants.models.tenant import Tenant


class IdempotencyRecord(models.Model):
    """One request that carried an `Idempotency-Key`: in flight until `status` is set, then its stored answer."""

    pk = models.CompositePrimaryKey("tenant_id", "digest")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    # SHA-256 over credential, method, route and key
    digest = models.BinaryField(max_length=32)
    body_digest = models.BinaryField(max_length=32)
    status = models.PositiveSmallIntegerField(null=True)
    answer = models.JSONField(null=True)
    # while in flight: after this instant the first attempt is taken for dead
    lease_until = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return bytes(self.digest).hex()
