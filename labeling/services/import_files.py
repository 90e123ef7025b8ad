"""Files on their way in, below `VERA_VAR/imports`, under random names; what belongs to each is beside it.

`NAME` is the file, `NAME.progress` how far a worker is with it, `NAME.refused` every row that was refused.
Pages and workers must see the same folder.
"""

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

LARGEST = 1024 * 1024 * 1024  # bytes
_KEPT_FREE = 64 * 1024 * 1024  # bytes, for the database beside it
_PIECE = 1024 * 1024

TOO_LARGE = "The file is larger than 1 GB. Cut it into several."
EMPTY = "The file is empty: there is nothing to import. Choose another one."
NO_ROOM = (
    "There is no room for this file on the server's disk, so nothing of it was kept. "
    "Whoever runs Vera must free some space; then send it again."
)
CANNOT_WRITE = (
    "The server could not write the file ({}), so nothing of it was kept. Tell whoever runs Vera; "
    "then send it again."
)


class UploadProblem(ValueError):
    """A file cannot be taken; the sentence says why and what to do."""


class OutOfStep(ValueError):
    """A piece begins elsewhere than the file ends; `arrived` bytes of it are there."""

    def __init__(self, arrived: int) -> None:
        super().__init__(f"{arrived} bytes of the file have arrived.")
        self.arrived = arrived


def folder() -> Path:
    """Where the files lie; made where it is missing."""
    found = Path(settings.VERA_VAR) / "imports"
    found.mkdir(mode=0o700, exist_ok=True)
    return found


def new_file() -> str:
    """The name of a fresh, empty file. Raises UploadProblem."""
    name = secrets.token_hex(16)
    with _sentences():
        path_of(name).touch(mode=0o600, exist_ok=False)
    return name


def path_of(name: str, belonging: str = "") -> Path:
    """The file of that name; `belonging` is `progress` or `refused`."""
    return folder() / (f"{name}.{belonging}" if belonging else name)


def is_there(name: str) -> bool:
    """Whether the file has not been removed yet."""
    return path_of(name).is_file()


def arrived(name: str) -> int:
    """How many bytes of the file are there."""
    with suppress(FileNotFoundError):
        return path_of(name).stat().st_size
    return 0


def check_size(size: int, there: int = 0) -> None:
    """Raise UploadProblem where a file of so many bytes, `there` of which have come, cannot be taken."""
    if size <= 0:
        raise UploadProblem(EMPTY)
    if size > LARGEST:
        raise UploadProblem(TOO_LARGE)
    if shutil.disk_usage(folder()).free < size - there + _KEPT_FREE:
        raise UploadProblem(NO_ROOM)


def add_piece(name: str, offset: int, piece: bytes) -> int:
    """Write a piece at the end of the file; how many bytes are there then. Raises OutOfStep, UploadProblem.

    A piece that is not wholly written is not there at all, and two who send at once take turns.
    """
    with _sentences(), path_of(name).open("r+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        there = file.seek(0, os.SEEK_END)
        if there != offset:
            raise OutOfStep(there)
        try:
            _write(file, piece)
        except OSError:
            file.truncate(there)
            raise
        return there + len(piece)


def forget(name: str, *, refused: bool = True) -> None:
    """Remove the file and what belongs to it; its refused rows may stay."""
    for path in (path_of(name), path_of(name, "progress"), *([path_of(name, "refused")] if refused else [])):
        path.unlink(missing_ok=True)


def _write(file: BinaryIO, piece: bytes) -> None:
    left = memoryview(piece)
    while left:
        left = left[file.write(left) :]


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise UploadProblem("This file was discarded meanwhile. Choose it again.") from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise UploadProblem(NO_ROOM if full else CANNOT_WRITE.format(error.strerror)) from error
