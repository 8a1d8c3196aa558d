from django.db import models

from loci.ground.ids import uuid7


class Tenant(models.Model):
    """One customer's place: everything that belongs to it carries its id."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    time_zone = models.CharField(max_length=64, default="UTC")
    language = models.CharField(max_length=8, default="en")
    # key of the HMAC behind content-addressed ids, encrypted at rest
    sealed_secret = models.BinaryField()
    closed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug
