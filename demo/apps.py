from django.apps import AppConfig


class DemoConfig(AppConfig):
    """The example of `make demo`. It has no tables of its own."""

    name = "demo"
    verbose_name = "Demo"
