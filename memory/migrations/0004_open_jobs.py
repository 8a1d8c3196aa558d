"""An index of the jobs that have not ended, for the limit on how many a tenant may have."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0003_newest")]
    operations = [
        AddIndexConcurrently(
            "job",
            models.Index(fields=["tenant"], condition=models.Q(state__in=["queued", "running"]), name="job_open"),
        ),
    ]
