from django.apps import AppConfig


class LabelingConfig(AppConfig):
    """What people say: criteria, candidates, labels, rulings."""

    name = "labeling"
    verbose_name = "Labeling"
