"""Functions that count tries at a secret in the rate limiter's table, and one that drops buckets at rest."""

from django.db import migrations

from tenants.sql import definer

FUNCTIONS = ["attempt_take", "attempt_forget", "drop_idle_rates"]


def forward(apps, schema_editor):
    for name in FUNCTIONS:
        schema_editor.execute(definer.create_sql("billing", name))


def backward(apps, schema_editor):
    for name in FUNCTIONS:
        schema_editor.execute(definer.drop_sql(name))
    schema_editor.execute("DELETE FROM billing_rate WHERE starts_with(bucket, 'attempt:')")


class Migration(migrations.Migration):
    dependencies = [("billing", "0002_security")]
    operations = [migrations.RunPython(forward, backward)]
