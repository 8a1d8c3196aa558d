"""When a key first sent something to remember, for the pages that wait for it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0003_security")]
    operations = [
        migrations.AddField("servicekey", "first_write_at", models.DateTimeField(blank=True, null=True)),
    ]
