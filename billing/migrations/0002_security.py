"""Row-level security, an append-only ledger, and the rate limiter's table and function."""

from django.db import migrations

from tenants.rls import app_role, policy_reverse_sql, policy_sql
from tenants.sql import definer

TABLES = ["billing_quota", "billing_counter", "billing_usageevent"]


def forward(apps, schema_editor):
    for table in TABLES:
        schema_editor.execute(policy_sql(table))
    role = app_role()
    schema_editor.execute(f"REVOKE UPDATE, DELETE ON billing_usageevent FROM {role}")
    schema_editor.execute(f"ALTER TABLE billing_rate SET UNLOGGED; REVOKE ALL ON billing_rate FROM {role}")
    schema_editor.execute(definer.create_sql("billing", "rate_take"))


def backward(apps, schema_editor):
    role = app_role()
    schema_editor.execute(definer.drop_sql("rate_take"))
    schema_editor.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON billing_rate TO {role}")
    schema_editor.execute(f"GRANT UPDATE, DELETE ON billing_usageevent TO {role}")
    for table in TABLES:
        schema_editor.execute(policy_reverse_sql(table))


class Migration(migrations.Migration):
    dependencies = [("billing", "0001_tables"), ("tenants", "0003_security")]
    operations = [migrations.RunPython(forward, backward)]
