"""Living through a restart of the database: what was meant to be written is tried until it is."""

import logging
import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, connection

from judging.services.stopping import is_stopping

log = logging.getLogger(__name__)
_LONGEST_PAUSE = 2.0  # seconds


def patiently[T](work: Callable[[], T]) -> T:
    """Do `work`, again with a fresh connection for as long as the database cannot be reached.

    `work` must be one transaction that may be done twice: a commit that was not confirmed is repeated.
    Gives up, with the database's error, only when the worker is told to stop.
    """
    pause = 0.1
    while True:
        try:
            return work()
        except (OperationalError, InterfaceError) as error:
            if is_stopping():
                raise
            log.warning("The database cannot be used now (%s); trying again.", str(error).strip()[:200])
        connection.close()
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
