from django.db import models

from tenants.models import Tenant


class Quota(models.Model):
    """A limit of one tenant that overrides the default: `memories` (count) or `rps` (requests per second)."""

    pk = models.CompositePrimaryKey("tenant_id", "name")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="quotas")
    name = models.CharField(max_length=32)
    limit = models.FloatField()
    set_by = models.CharField(max_length=160)
    set_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.name}={self.limit:g}"


class Counter(models.Model):
    """How much of a quota a tenant uses; its row lock makes the limit exact."""

    pk = models.CompositePrimaryKey("tenant_id", "name")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="counters")
    name = models.CharField(max_length=32)
    value = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"


class Rate(models.Model):
    """Theoretical arrival time of a bucket (GCRA). Unlogged; reached only through functions in
    `billing/sql`."""

    bucket = models.CharField(primary_key=True, max_length=96)
    tat = models.DateTimeField()

    def __str__(self) -> str:
        return self.bucket
