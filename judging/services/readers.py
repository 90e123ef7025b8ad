"""Who reads which certification: noted once a minute, never in the way of the answer.

Why it is done like this: docs/decisions/0028-reads-are-noted-once-a-minute.md.
"""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from time import monotonic

from django.db import DatabaseError, connection, transaction

from judging.models import ApiToken, GateReader

log = logging.getLogger(__name__)

type Read = tuple[int, int]  # ids of a judge and a criteria set

EVERY = 60.0  # seconds between two notes of the same reader
_MOST_REMEMBERED = 20_000
_PATIENCE = 200  # milliseconds that an answer waits at the most for its note

# What this process noted last, by token, judge and criteria set: spares a write, and no answer depends on it.
_noted: dict[tuple[int, int, int], float] = {}


def note_reads(*, token: ApiToken, reads: Collection[Read], now: datetime) -> None:
    """Write down that the token asked for these, where this process has not within the last minute."""
    fresh = [read for read in set(reads) if _is_due(token.pk, *read)]
    if not fresh:
        return
    if len(_noted) > _MOST_REMEMBERED:
        _noted.clear()
    _noted.update(dict.fromkeys(((token.pk, *read) for read in fresh), monotonic()))
    try:
        with _impatient():
            _write(token, fresh, now)
    except DatabaseError as problem:  # the next minute's read is noted again
        log.warning("A read of token %s could not be noted: %s", token.pk, problem)


def forget_reads() -> None:
    """Note every reader's next read again."""
    _noted.clear()


def _is_due(token_id: int, judge_id: int, criteria_set_id: int) -> bool:
    noted = _noted.get((token_id, judge_id, criteria_set_id))
    return noted is None or monotonic() - noted >= EVERY


def _write(token: ApiToken, reads: Collection[Read], now: datetime) -> None:
    rows = [
        GateReader(token=token, judge_id=judge, criteria_set_id=criteria_set, first_at=now, last_at=now)
        for judge, criteria_set in sorted(reads)
    ]
    GateReader.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["token", "judge", "criteria_set"],
        update_fields=["last_at"],
    )


@contextmanager
def _impatient() -> Iterator[None]:
    """A transaction in which no statement waits long for another's lock: better an answer than a note."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = {_PATIENCE}")
            yield
        return
    with connection.cursor() as cursor:
        before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
        try:
            with transaction.atomic():
                yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {before}")
