"""Rows that a timer cannot work on: told once in the log, left for a while, and holding up no other."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import DatabaseError

log = logging.getLogger(__name__)

_PAUSE = timedelta(minutes=10)


@dataclass(slots=True)
class Aside:
    """What this process has put aside. `told`: what the log says of a row, with `%s` for its id."""

    told: str
    _again: dict[int, datetime] = field(default_factory=dict)

    def rows(self, now: datetime) -> list[int]:
        """The ids of those to leave alone at this time."""
        return [pk for pk, again in self._again.items() if now < again]

    def tried[Done](self, pk: int, now: datetime, act: Callable[[], Done]) -> Done | None:
        """What `act` returns; None where it failed and the row was put aside.

        What the database says is raised: it mostly concerns all rows.
        """
        try:
            done = act()
        except DatabaseError:
            raise
        except Exception:
            self._put(pk, now)
            return None
        self._again.pop(pk, None)
        return done

    def _put(self, pk: int, now: datetime) -> None:
        if pk not in self._again:
            log.exception(self.told, pk)
        self._again[pk] = now + _PAUSE
