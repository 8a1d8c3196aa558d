"""What use has taught about memories and arms: opt-in, bounded by how many memories there are, gone with the memory."""

from django.db import models

from tenants.models import Tenant


class Access(models.Model):
    """How often a memory was used, and when for the last time."""

    pk = models.CompositePrimaryKey("tenant_id", "memory_id")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    memory_id = models.UUIDField()
    count = models.BigIntegerField(default=0)
    last_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.memory_id} {self.count}"


class Exposure(models.Model):
    """How often a memory was shown within the hour that begins at `at`; hours of the day before last are dropped."""

    pk = models.CompositePrimaryKey("tenant_id", "memory_id", "at")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    memory_id = models.UUIDField()
    at = models.DateTimeField()
    count = models.IntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["tenant", "at"], name="exposure_at")]

    def __str__(self) -> str:
        return f"{self.memory_id} {self.at}"


class LearnedWeight(models.Model):
    """What feedback says of an arm for queries of one shape: `q` from 0.05 to 0.95, after `n` feedbacks."""

    pk = models.CompositePrimaryKey("tenant_id", "arm", "shape")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    arm = models.CharField(max_length=32, db_collation="C")
    shape = models.CharField(max_length=32, db_collation="C")
    q = models.FloatField(default=0.5)
    n = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.arm} {self.shape} {self.q:.2f}"
