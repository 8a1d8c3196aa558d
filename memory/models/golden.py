"""Golden questions: what a tenant expects its recalls to find, and how often they did."""

from django.db import models

from loci.ground.ids import uuid7
from tenants.models import Tenant


class GoldenQuestion(models.Model):
    """A question with what it is asked among; what it should find stands in its expectations.

    `wanted` is how many memories were expected when it was written: those that were erased since are missing. `reach`
    is the digest of the narrowing of whoever wrote it, empty for none; `digest` tells equal questions.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    question = models.TextField()
    filters = models.JSONField(null=True)
    namespaces = models.JSONField(null=True)
    reach = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64)
    wanted = models.SmallIntegerField(default=0)
    created_by = models.CharField(max_length=160)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="goldenquestion_tenant_id"),
            models.UniqueConstraint(fields=["tenant", "digest"], name="goldenquestion_once"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class GoldenExpectation(models.Model):
    """A memory that a question should find; goes with either."""

    pk = models.CompositePrimaryKey("tenant_id", "question_id", "memory_id")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    question_id = models.UUIDField()
    memory_id = models.UUIDField()

    class Meta:
        indexes = [models.Index(fields=["tenant", "memory_id"], name="goldenexpectation_memory")]

    def __str__(self) -> str:
        return f"{self.question_id} {self.memory_id}"


class GoldenRun(models.Model):
    """One run of the questions: `ranks` maps a question's id to its best rank from 1, null when it was not found."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    reach = models.CharField(max_length=64, blank=True)
    settings = models.CharField(max_length=16)
    questions = models.IntegerField()
    recall_1 = models.FloatField()
    recall_5 = models.FloatField()
    recall_10 = models.FloatField()
    mrr = models.FloatField()
    ranks = models.JSONField(default=dict)
    actor = models.CharField(max_length=160)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "id"], name="goldenrun_tenant_id")]
        indexes = [models.Index(fields=["tenant", "reach", "-id"], name="goldenrun_newest")]

    def __str__(self) -> str:
        return str(self.id)
