"""Row-level security, append-only audit, and the functions that work where no tenant is known yet."""

from django.db import migrations

from tenants.rls import app_role, policy_reverse_sql, policy_sql
from tenants.sql import definer

TABLES = {
    "tenants_tenant": "id",
    "tenants_membership": "tenant_id",
    "tenants_servicekey": "tenant_id",
    "tenants_auditevent": "tenant_id",
    "tenants_idempotencyrecord": "tenant_id",
}
FUNCTIONS = ["key_lookup", "key_tenant", "memberships", "tenant_by_slug", "tenant_page", "drop_expired_answers"]


def forward(apps, schema_editor):
    for table, column in TABLES.items():
        schema_editor.execute(policy_sql(table, column))
    schema_editor.execute(f"REVOKE UPDATE, DELETE ON tenants_auditevent FROM {app_role()}")
    for name in FUNCTIONS:
        schema_editor.execute(definer.create_sql("tenants", name))


def backward(apps, schema_editor):
    for name in FUNCTIONS:
        schema_editor.execute(definer.drop_sql(name))
    schema_editor.execute(f"GRANT UPDATE, DELETE ON tenants_auditevent TO {app_role()}")
    for table in TABLES:
        schema_editor.execute(policy_reverse_sql(table))


class Migration(migrations.Migration):
    dependencies = [("tenants", "0002_tables")]
    operations = [migrations.RunPython(forward, backward)]
