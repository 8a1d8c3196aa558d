"""Indexes behind the lists that begin with the newest; built without keeping anybody from writing."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0002_security")]
    operations = [
        AddIndexConcurrently(
            model_name="version",
            index=models.Index(
                fields=["tenant", "-known_from", "-id"],
                condition=models.Q(known_to__isnull=True),
                name="version_newest",
            ),
        ),
        AddIndexConcurrently(
            model_name="version",
            index=models.Index(
                fields=["tenant", "-known_to", "-id"],
                condition=models.Q(invalidated_at__isnull=False),
                name="version_retracted",
            ),
        ),
    ]
