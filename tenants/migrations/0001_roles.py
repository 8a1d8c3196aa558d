"""Who may do what in the database, before any table exists: later tables get their grants by default.

Runs as the owner (`migrate --database=owner`); default privileges belong to the role that sets them.
"""

from django.db import migrations

from tenants.rls import app_role

GRANTS = """
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role};
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
GRANT SELECT ON django_migrations TO {role};
"""


def grant(apps, schema_editor):
    schema_editor.execute(GRANTS.format(role=app_role()))


class Migration(migrations.Migration):
    run_before = [("contenttypes", "0001_initial")]
    operations = [migrations.RunPython(grant, migrations.RunPython.noop)]
