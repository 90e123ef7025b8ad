"""What Vera needs to do its work, and what of it is missing."""

import os
from datetime import datetime

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from kombu.exceptions import KombuError

from judging.models import WorkerSeen

_PATIENCE = 2  # seconds for the broker to answer


def missing(now: datetime) -> dict[str, str]:
    """What is not there, by name, each with a sentence; empty when all is well."""
    problems = {}
    if not _database_answers():
        problems["database"] = "The database does not answer. Start it, or correct DATABASE_URL."
    elif not WorkerSeen.objects.alive(now).exists():
        problems["worker"] = "No worker was seen lately. Start one: celery -A vera_site worker"
    if not _broker_answers():
        problems["broker"] = "The broker does not answer. Start it, or correct REDIS_URL."
    return problems


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM judging_judge WHERE 1 = 0")
    except DatabaseError:
        return False
    return True


def _broker_answers() -> bool:
    if folder := settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("data_folder_in"):
        return os.access(folder, os.R_OK | os.W_OK)
    try:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=_PATIENCE)
    except (OSError, KombuError):
        return False
    return True
