"""How often words left a tenant's vocabulary, so that processes can know the rest of it by heart."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_settings")]
    operations = [
        migrations.AddField("corpus", "words_dropped", models.BigIntegerField(default=0, db_default=0)),
    ]
