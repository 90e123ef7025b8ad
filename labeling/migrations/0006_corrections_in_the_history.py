import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0005_probability_may_be_unknown'),
    ]

    operations = [
        migrations.AlterField(
            model_name='label',
            name='source',
            field=models.CharField(choices=[('browser', 'browser'), ('import', 'import'), ('api', 'API'), ('carried', 'carried from an earlier version'), ('history', "history of one's own labels")], max_length=10),
        ),
        migrations.AlterField(
            model_name='label',
            name='supersedes',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='corrections', to='labeling.label'),
        ),
        migrations.AddConstraint(
            model_name='label',
            constraint=models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('supersedes',), name='label_corrected_once'),
        ),
    ]
