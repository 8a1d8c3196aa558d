"""What tenants have set: one row a tenant, under row-level security."""

import django.db.models.deletion
from django.db import migrations, models

from tenants.rls import policy_reverse_sql, policy_sql


def forward(apps, schema_editor):
    schema_editor.execute(policy_sql("memory_settings"))


def backward(apps, schema_editor):
    schema_editor.execute(policy_reverse_sql("memory_settings"))


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_learning"), ("tenants", "0003_security")]
    operations = [
        migrations.CreateModel(
            name="Settings",
            fields=[
                (
                    "tenant",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tenants.tenant",
                    ),
                ),
                ("chosen", models.JSONField(default=dict)),
                ("sealed_llm_key", models.BinaryField(null=True)),
                ("version", models.IntegerField(default=0)),
                ("changed_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.RunPython(forward, backward),
    ]
