"""The Celery application; `celery -A vera_site worker` starts a worker in either mode."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vera_site.settings")

app = Celery("vera")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
