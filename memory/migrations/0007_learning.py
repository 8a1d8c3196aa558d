"""Tables of what use has taught, and of golden questions; composite foreign keys, so that all of it goes with the
memory; row-level security."""

import django.db.models.deletion
from django.db import migrations, models

import loci.ground.ids
from tenants.rls import policy_reverse_sql, policy_sql

TABLES = [
    f"memory_{name}"
    for name in ["access", "exposure", "learnedweight", "goldenquestion", "goldenexpectation", "goldenrun"]
]
BEHIND = [
    ("access", "memory_id", "memory"),
    ("exposure", "memory_id", "memory"),
    ("goldenexpectation", "memory_id", "memory"),
    ("goldenexpectation", "question_id", "goldenquestion"),
]
"""(table, column, table that the column names a row of)."""


def forward(apps, schema_editor):
    for table, column, target in BEHIND:
        schema_editor.execute(
            f"ALTER TABLE memory_{table} ADD CONSTRAINT {table}_{target}_same_tenant"
            f" FOREIGN KEY (tenant_id, {column}) REFERENCES memory_{target} (tenant_id, id)"
            " ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
        )
    for table in TABLES:
        schema_editor.execute(policy_sql(table))


def backward(apps, schema_editor):
    for table in TABLES:
        schema_editor.execute(policy_reverse_sql(table))
    for table, _column, target in BEHIND:
        schema_editor.execute(f"ALTER TABLE memory_{table} DROP CONSTRAINT {table}_{target}_same_tenant")


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0006_posting_fields"),
        ("tenants", "0003_security"),
    ]

    operations = [
        migrations.CreateModel(
            name="Access",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tenant_id", "memory_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("memory_id", models.UUIDField()),
                ("count", models.BigIntegerField(default=0)),
                ("last_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LearnedWeight",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tenant_id", "arm", "shape", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("arm", models.CharField(db_collation="C", max_length=32)),
                ("shape", models.CharField(db_collation="C", max_length=32)),
                ("q", models.FloatField(default=0.5)),
                ("n", models.BigIntegerField(default=0)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Exposure",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tenant_id", "memory_id", "at", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("memory_id", models.UUIDField()),
                ("at", models.DateTimeField()),
                ("count", models.IntegerField(default=0)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["tenant", "at"], name="exposure_at")],
            },
        ),
        migrations.CreateModel(
            name="GoldenExpectation",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tenant_id",
                        "question_id",
                        "memory_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("question_id", models.UUIDField()),
                ("memory_id", models.UUIDField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["tenant", "memory_id"], name="goldenexpectation_memory")],
            },
        ),
        migrations.CreateModel(
            name="GoldenQuestion",
            fields=[
                (
                    "id",
                    models.UUIDField(default=loci.ground.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("question", models.TextField()),
                ("filters", models.JSONField(null=True)),
                ("namespaces", models.JSONField(null=True)),
                ("reach", models.CharField(blank=True, max_length=64)),
                ("digest", models.CharField(max_length=64)),
                ("wanted", models.SmallIntegerField(default=0)),
                ("created_by", models.CharField(max_length=160)),
                ("created_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id"), name="goldenquestion_tenant_id"),
                    models.UniqueConstraint(fields=("tenant", "digest"), name="goldenquestion_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="GoldenRun",
            fields=[
                (
                    "id",
                    models.UUIDField(default=loci.ground.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("reach", models.CharField(blank=True, max_length=64)),
                ("settings", models.CharField(max_length=16)),
                ("questions", models.IntegerField()),
                ("recall_1", models.FloatField()),
                ("recall_5", models.FloatField()),
                ("recall_10", models.FloatField()),
                ("mrr", models.FloatField()),
                ("ranks", models.JSONField(default=dict)),
                ("actor", models.CharField(max_length=160)),
                ("at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["tenant", "reach", "-id"], name="goldenrun_newest")],
                "constraints": [models.UniqueConstraint(fields=("tenant", "id"), name="goldenrun_tenant_id")],
            },
        ),
        migrations.RunPython(forward, backward),
    ]
