import hashlib

import django.db.models.deletion
from django.db import migrations, models


def sum_the_hashes(apps, schema_editor):
    """The golden hash becomes a sum of the rows' hashes; only a calibration that may be recounted needs it."""
    Calibration = apps.get_model("judging", "Calibration")
    CalibrationRow = apps.get_model("judging", "CalibrationRow")
    own = Calibration.objects.filter(is_current=True, judge_version=models.F("run__judge_version"))
    for calibration in own.iterator():
        rows = CalibrationRow.objects.filter(calibration=calibration).order_by()
        total = sum(
            int(hashlib.sha256(f"{content} {truth}".encode()).hexdigest(), 16)
            for content, truth in rows.values_list("candidate__content_hash", "truth").iterator()
        )
        of_run = Calibration.objects.filter(run=calibration.run_id, is_current=True)
        of_run.update(golden_hash=f"{total % 2**256:064x}")


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0002_trials"),
    ]

    operations = [
        migrations.AddField(
            model_name="calibrationrow",
            name="ended_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="judging.calibration",
            ),
        ),
        migrations.AlterField(
            model_name="calibrationrow",
            name="calibration",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="judging.calibration"
            ),
        ),
        migrations.RunPython(sum_the_hashes, migrations.RunPython.noop, elidable=True),
    ]
