from django.contrib.postgres.fields import ArrayField
from django.db import models

from loci.ground.ids import uuid7
from tenants.models import Tenant


class Memory(models.Model):
    """The identity of something remembered. What was believed about it stands in its versions.

    Without a key the id is content-addressed (`memory.services.identity`); with one it comes from namespace and key.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    namespace = models.CharField(max_length=128, default="default")
    key = models.CharField(max_length=512, null=True, blank=True)
    source = models.CharField(max_length=1024, blank=True, db_collation="C")
    position = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="memory_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "namespace", "key"], condition=models.Q(key__isnull=False), name="memory_key_once"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Version(models.Model):
    """What was believed about a memory, from `known_from` until `known_to`, to hold from `valid_from` until `valid_to`.

    Ranges are half-open, an open end is null. `invalidated_at` marks the last version of a memory that was retracted.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    memory = models.ForeignKey(
        Memory, on_delete=models.CASCADE, related_name="versions", db_constraint=False, db_index=False
    )
    namespace = models.CharField(max_length=128)
    key = models.CharField(max_length=512, null=True, blank=True)
    source = models.CharField(max_length=1024, blank=True, db_collation="C")
    position = models.BigIntegerField(default=0)
    text = models.TextField()
    tier = models.CharField(max_length=8, default="chunk")
    kind = models.CharField(max_length=32, null=True, blank=True)
    event_at = models.DateTimeField(null=True, blank=True)
    metadata = models.JSONField(default=dict)
    tags = ArrayField(models.CharField(max_length=128), default=list)
    agent = models.CharField(max_length=128, null=True, blank=True)
    subject = models.CharField(max_length=256, null=True, blank=True)
    confidence = models.FloatField(null=True, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    known_from = models.DateTimeField()
    known_to = models.DateTimeField(null=True, blank=True)
    invalidated_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    content_hash = models.CharField(max_length=64, null=True, blank=True)
    trace_id = models.CharField(max_length=64, blank=True)
    written_by = models.CharField(max_length=160)
    language = models.CharField(max_length=8, default="en")
    embedding_space = models.CharField(max_length=40, blank=True)
    indexed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="version_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "memory"],
                condition=models.Q(known_to__isnull=True, key__isnull=True),
                name="version_one_believed",
            ),
        ]
        indexes = [
            models.Index(fields=["tenant", "memory", "-known_from"], name="version_memory"),
            models.Index(fields=["tenant", "source", "namespace", "position", "id"], name="version_source"),
            models.Index(fields=["tenant", "namespace", "id"], name="version_namespace"),
            models.Index(fields=["tenant", "subject"], name="version_subject"),
            models.Index(fields=["tenant", "event_at"], name="version_event_at"),
            models.Index(fields=["tenant", "agent"], condition=models.Q(agent__isnull=False), name="version_agent"),
            models.Index(fields=["tenant", "kind"], condition=models.Q(kind__isnull=False), name="version_kind"),
            models.Index(
                fields=["tenant", "-known_from", "-id"],
                condition=models.Q(known_to__isnull=True),
                name="version_newest",
            ),
            models.Index(
                fields=["tenant", "-known_to", "-id"],
                condition=models.Q(invalidated_at__isnull=False),
                name="version_retracted",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)
