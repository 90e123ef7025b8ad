"""The Celery application; `celery -A vera_site worker` starts a worker in either mode."""

import os
import warnings

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vera_site.settings")

# In a container root is who there is; messages are JSON, never pickles, so the warning does not apply.
warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")

app = Celery("vera")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
