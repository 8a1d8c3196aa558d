"""Row-level security, composite foreign keys (a plain one would cross tenants and reveal existence), the exclusion of
overlapping validities of a keyed memory, and the functions that claim work of any tenant."""

from django.db import migrations

from tenants.rls import policy_reverse_sql, policy_sql
from tenants.sql import definer

TABLES = [
    f"memory_{name}"
    for name in ["memory", "version", "vector", "sign", "posting", "filtervalue", "corpus", "indextask", "job"]
]
FUNCTIONS = ["claim_index_tasks", "claim_job", "backlog"]

CONSTRAINTS = """
ALTER TABLE memory_version ADD CONSTRAINT version_memory_same_tenant
    FOREIGN KEY (tenant_id, memory_id) REFERENCES memory_memory (tenant_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_indextask ADD CONSTRAINT indextask_version_same_tenant
    FOREIGN KEY (tenant_id, version_id) REFERENCES memory_version (tenant_id, id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_version ADD CONSTRAINT version_no_overlap EXCLUDE USING gist (
    tenant_id WITH =, memory_id WITH =, tstzrange(valid_from, valid_to) WITH &&
) WHERE (key IS NOT NULL AND known_to IS NULL);
ALTER TABLE memory_vector ALTER COLUMN embedding SET STORAGE MAIN;
-- a version is updated once, when it is indexed: room on its page keeps that from touching every index
ALTER TABLE memory_version SET (fillfactor = 75);
ALTER TABLE memory_posting DROP CONSTRAINT memory_posting_pkey;
ALTER TABLE memory_posting ADD CONSTRAINT memory_posting_pkey
    PRIMARY KEY (tenant_id, term, version_id) INCLUDE (frequency, length, live);
"""
CONSTRAINTS_REVERSE = """
ALTER TABLE memory_version RESET (fillfactor);
ALTER TABLE memory_posting DROP CONSTRAINT memory_posting_pkey;
ALTER TABLE memory_posting ADD CONSTRAINT memory_posting_pkey PRIMARY KEY (tenant_id, term, version_id);
ALTER TABLE memory_version DROP CONSTRAINT version_no_overlap;
ALTER TABLE memory_indextask DROP CONSTRAINT indextask_version_same_tenant;
ALTER TABLE memory_version DROP CONSTRAINT version_memory_same_tenant;
ALTER TABLE memory_vector ALTER COLUMN embedding SET STORAGE EXTERNAL;
"""


def forward(apps, schema_editor):
    schema_editor.execute(CONSTRAINTS)
    for table in TABLES:
        schema_editor.execute(policy_sql(table))
    for name in FUNCTIONS:
        schema_editor.execute(definer.create_sql("memory", name))


def backward(apps, schema_editor):
    for name in FUNCTIONS:
        schema_editor.execute(definer.drop_sql(name))
    for table in TABLES:
        schema_editor.execute(policy_reverse_sql(table))
    schema_editor.execute(CONSTRAINTS_REVERSE)


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_tables"), ("billing", "0002_security")]
    operations = [migrations.RunPython(forward, backward)]
