from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labeling", "0002_draws_and_plans")]

    operations = [
        migrations.AlterField(
            model_name="submission",
            name="source",
            field=models.CharField(
                choices=[("import", "import"), ("api", "API"), ("reference", "reference set")], max_length=10
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("source", "reference")), fields=["candidate"], name="submission_references"
            ),
        ),
    ]
