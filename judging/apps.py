from django.apps import AppConfig


class JudgingConfig(AppConfig):
    """What machines say, and whether to believe them."""

    name = "judging"
    verbose_name = "Judging"
