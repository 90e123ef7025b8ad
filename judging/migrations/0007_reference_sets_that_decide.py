from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0006_trust")]

    operations = [
        migrations.AddField(
            model_name="referenceset", name="decides", field=models.BooleanField(default=True)
        ),
        migrations.AddField(
            model_name="orderingresult",
            name="deciding_sets",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="orderingresult",
            name="deciding_violated",
            field=models.PositiveIntegerField(default=0),
        ),
    ]
