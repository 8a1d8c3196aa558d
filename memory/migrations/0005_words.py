"""The vocabulary, for prefixes and misspelt words; and what a posting says of keys, tags and the words written.

The new columns have constant defaults, so that no table is written anew. Old postings have no tags and no words until
`manage.py reindex`.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from tenants.rls import policy_reverse_sql, policy_sql


def tenant():
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.CASCADE,
        related_name="+",
        to="tenants.tenant",
    )


def key(*columns):
    return models.CompositePrimaryKey(
        "tenant_id", *columns, blank=True, editable=False, primary_key=True, serialize=False
    )


class Migration(migrations.Migration):
    dependencies = [("memory", "0004_open_jobs")]
    operations = [
        migrations.CreateModel(
            name="Word",
            fields=[
                ("pk", key("word", "term")),
                ("word", models.CharField(db_collation="C", max_length=64)),
                ("term", models.CharField(db_collation="C", max_length=64)),
                ("tenant", tenant()),
            ],
        ),
        migrations.CreateModel(
            name="Gram",
            fields=[
                ("pk", key("gram", "word")),
                ("gram", models.CharField(db_collation="C", max_length=3)),
                ("word", models.CharField(db_collation="C", max_length=64)),
                ("tenant", tenant()),
            ],
        ),
        migrations.AddField("posting", "in_key", models.SmallIntegerField(default=0, db_default=0)),
        migrations.AddField("posting", "in_tags", models.SmallIntegerField(default=0, db_default=0)),
        migrations.AddField(
            "posting",
            "forms",
            django.contrib.postgres.fields.ArrayField(models.TextField(), null=True),
        ),
        *(migrations.RunSQL(policy_sql(table), policy_reverse_sql(table)) for table in ("memory_word", "memory_gram")),
    ]
