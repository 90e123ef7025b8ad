"""How far a worker is with a file, told beside the file.

Not in the database: an import is one transaction, whose rows nobody else sees, and on SQLite nobody else can
write meanwhile. The same file says that the worker is alive: its time of change is the lease.
"""

import json
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from django.conf import settings

from labeling.services.import_files import is_there, path_of
from labeling.services.workers import is_stopping

_EVERY = 0.5  # seconds


class GivenUp(Exception):
    """The import must end here; nothing of it is kept."""


class Stopping(GivenUp):
    """The worker was told to stop: another goes on."""


class Discarded(GivenUp):
    """Somebody discarded the file."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How far the worker of a file is; `began` and `at` are seconds since 1970."""

    bytes: int
    rows: int
    refused: int
    began: float
    at: float

    def seconds_left(self, size: int) -> float | None:
        """How long the rest of `size` bytes takes at the speed so far; None before one can tell."""
        took = self.at - self.began
        if took < 2 or not self.bytes:
            return None
        return took * max(0, size - self.bytes) / self.bytes


def reached(name: str) -> Reached | None:
    """How far the worker is; None before there is one."""
    path = path_of(name, "progress")
    with suppress(FileNotFoundError, ValueError, KeyError):
        at = path.stat().st_mtime
        return Reached(at=at, **json.loads(path.read_text(encoding="ascii")))
    return None


def is_worked_on(name: str) -> bool:
    """Whether a worker has given a sign of life within the lease."""
    with suppress(FileNotFoundError):
        return time.time() - path_of(name, "progress").stat().st_mtime < settings.VERA_CLAIM_LEASE
    return False


class Telling:
    """While it is open, tells every half second how far the import is that calls it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._began = time.time()
        self._reached = (0, 0, 0)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._repeat, name="import-progress", daemon=True)

    def __call__(self, bytes_read: int, rows: int, refused: int) -> None:
        """Take down how far it is. Raises GivenUp where the import must not go on."""
        self._reached = (bytes_read, rows, refused)
        if is_stopping():
            raise Stopping
        if self._end.is_set():
            raise Discarded

    def __enter__(self) -> Self:
        self._tell()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()
        path_of(self._name, "progress").unlink(missing_ok=True)

    def _repeat(self) -> None:
        while not self._end.wait(_EVERY):
            if not is_there(self._name):
                self._end.set()
                return
            self._tell()

    def _tell(self) -> None:
        bytes_read, rows, refused = self._reached
        said = {"bytes": bytes_read, "rows": rows, "refused": refused, "began": self._began}
        path = path_of(self._name, "progress")
        fresh = path.with_suffix(".fresh")
        try:
            fresh.write_text(json.dumps(said), encoding="ascii")
            fresh.replace(path)
        except OSError:  # a full disk: at least the sign of life, which takes no room
            fresh.unlink(missing_ok=True)
            with suppress(OSError):
                os.utime(path)
