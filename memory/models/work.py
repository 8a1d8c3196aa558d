from django.db import models

from loci.ground.ids import uuid7
from tenants.models import Tenant


class IndexTask(models.Model):
    """The outbox: a version that an index has not taken in yet. Claimed by lease, retried, swept."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    version_id = models.UUIDField()
    lease_until = models.DateTimeField()
    attempts = models.SmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="indextask_tenant_id"),
            models.UniqueConstraint(fields=["tenant", "version_id"], name="indextask_version"),
        ]
        indexes = [models.Index(fields=["lease_until"], name="indextask_lease")]

    def __str__(self) -> str:
        return str(self.version_id)


class Job(models.Model):
    """Work that outlives its request. `payload` is emptied when the job ends, so that it keeps no copy of a text."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=32)
    state = models.CharField(max_length=16, default="queued")
    total = models.IntegerField(default=0)
    done = models.IntegerField(default=0)
    payload = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    error = models.CharField(max_length=500, blank=True)
    actor = models.CharField(max_length=160)
    scope = models.JSONField(default=dict)
    lease_until = models.DateTimeField()
    attempts = models.SmallIntegerField(default=0)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["tenant", "id"], name="job_tenant_id")]
        indexes = [
            models.Index(fields=["tenant", "-created_at"], name="job_tenant_created"),
            models.Index(
                fields=["lease_until"], condition=models.Q(state__in=["queued", "running"]), name="job_claimable"
            ),
            # counted at each submission
            models.Index(fields=["tenant"], condition=models.Q(state__in=["queued", "running"]), name="job_open"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"
