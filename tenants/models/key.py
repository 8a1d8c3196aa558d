from django.contrib.postgres.fields import ArrayField
from django.db import models

from loci.ground.ids import uuid7
from tenants.models.tenant import Tenant


class ServiceKey(models.Model):
    """A credential of a program. Only its HMAC is stored; the key itself is shown once."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="service_keys")
    name = models.CharField(max_length=200, blank=True)
    digest = models.BinaryField(max_length=32, unique=True)
    pepper_id = models.CharField(max_length=32)
    tail = models.CharField(max_length=4)
    scopes = ArrayField(models.CharField(max_length=16))
    # explicit ["*"] is every namespace; an empty list is none; the first is where a write goes that names none
    namespaces = ArrayField(models.CharField(max_length=128))
    filters = models.JSONField(default=dict)
    agent = models.CharField(max_length=128, default="*")
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    first_write_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=128)

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["tenant", "id"], name="servicekey_tenant_id")]

    def __str__(self) -> str:
        return f"…{self.tail}"
