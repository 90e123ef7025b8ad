"""The site: settings, URLs, Celery and WSGI. It knows no app, its URLs apart."""

from vera_site.celery import app as celery_app

__all__ = ["celery_app"]
