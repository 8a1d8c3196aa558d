"""The embedded indexes: derived from versions, rebuilt by `reindex`. No foreign keys: a row that lost its version
finds nothing, since every read joins the version."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import VectorField

from tenants.models import Tenant


class Vector(models.Model):
    """One embedding of one window of a version's text; unit length."""

    pk = models.CompositePrimaryKey("tenant_id", "version_id", "ordinal")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    version_id = models.UUIDField()
    ordinal = models.SmallIntegerField()
    embedding = VectorField()

    def __str__(self) -> str:
        return f"{self.version_id}#{self.ordinal}"


class BitString(models.Field):  # not subscriptable at run time
    """PostgreSQL's `bit varying`, read and written as a string of 0 and 1."""

    def db_type(self, connection: Any) -> str:
        return "bit varying"


class Sign(models.Model):
    """The signs of an embedding's components, beside all that decides who may see it and when: small enough to scan.

    A scan by Hamming distance picks candidates, whose full vectors are then compared exactly.
    """

    pk = models.CompositePrimaryKey("tenant_id", "version_id", "ordinal")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    version_id = models.UUIDField()
    ordinal = models.SmallIntegerField()
    namespace = models.CharField(max_length=128)
    known_from = models.DateTimeField()
    known_to = models.DateTimeField(null=True)
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    invalidated_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    bits = BitString()

    def __str__(self) -> str:
        return f"{self.version_id}#{self.ordinal}"


class Posting(models.Model):
    """How often a term stands in a version: in its text (`frequency`), its key and its tags.

    `length` is the text's token count, `live` whether the version is believed. `forms` are the words that were written
    for the term, where they are anything but the term itself: running, runs.
    """

    pk = models.CompositePrimaryKey("tenant_id", "term", "version_id")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    term = models.CharField(max_length=64, db_collation="C")
    version_id = models.UUIDField()
    frequency = models.SmallIntegerField()
    length = models.IntegerField()
    live = models.BooleanField(default=True)
    in_key = models.SmallIntegerField(default=0, db_default=0)
    in_tags = models.SmallIntegerField(default=0, db_default=0)
    forms = ArrayField(models.TextField(), null=True)

    class Meta:
        indexes = [models.Index(fields=["tenant", "version_id"], name="posting_version")]

    def __str__(self) -> str:
        return self.term


class Word(models.Model):
    """A word that some version of the tenant holds, and a term that it is found by; gone with its last posting."""

    pk = models.CompositePrimaryKey("tenant_id", "word", "term")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    word = models.CharField(max_length=64, db_collation="C")
    term = models.CharField(max_length=64, db_collation="C")

    def __str__(self) -> str:
        return self.word


class Gram(models.Model):
    """A piece of a word, to find the word by when it is misspelt."""

    pk = models.CompositePrimaryKey("tenant_id", "gram", "word")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    gram = models.CharField(max_length=3, db_collation="C")
    word = models.CharField(max_length=64, db_collation="C")

    def __str__(self) -> str:
        return f"{self.gram} of {self.word}"


class FilterValue(models.Model):
    """One filterable value of a version's metadata or tags, in each type it can be compared as.

    Plain columns because jsonb operators are not leakproof and lose their index under row-level security.
    """

    pk = models.CompositePrimaryKey("tenant_id", "version_id", "key", "ordinal")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    version_id = models.UUIDField()
    key = models.CharField(max_length=300, db_collation="C")
    ordinal = models.SmallIntegerField()
    text_value = models.CharField(max_length=600, null=True, db_collation="C")
    number_value = models.FloatField(null=True)
    time_value = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "key", "text_value", "version_id"], name="filtervalue_text"),
            models.Index(
                fields=["tenant", "key", "number_value", "version_id"],
                condition=models.Q(number_value__isnull=False),
                name="filtervalue_number",
            ),
            models.Index(
                fields=["tenant", "key", "time_value", "version_id"],
                condition=models.Q(time_value__isnull=False),
                name="filtervalue_time",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class Corpus(models.Model):
    """A tenant's lexical statistics over believed versions, and the one embedding space its vectors lie in."""

    tenant = models.OneToOneField(Tenant, on_delete=models.CASCADE, primary_key=True, related_name="+")
    documents = models.BigIntegerField(default=0)
    length = models.BigIntegerField(default=0)
    embedding_space = models.CharField(max_length=40, blank=True)
    embedding_label = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.documents} documents"
