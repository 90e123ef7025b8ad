"""A file that somebody named on a command line."""

import stat
from pathlib import Path
from typing import BinaryIO

from labeling.formats.rows import FileProblem

LARGEST_TEXT = 16 * 1024 * 1024  # bytes of a file that is read whole


def open_file(path: Path) -> BinaryIO:
    """The file, open for reading. Raises FileProblem where it is none, or cannot be read.

    A pipe would keep the command waiting, and a device has no end.
    """
    try:
        if not path.is_dir() and not stat.S_ISREG(path.stat().st_mode):
            raise FileProblem(f"{path} is a pipe or a device. Save what it gives to a file and name that.")
        return path.open("rb")
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error


def read_text(path: Path) -> str:
    """The text of a UTF-8 file. Raises FileProblem where there is none."""
    with open_file(path) as stream:
        content = stream.read(LARGEST_TEXT + 1)
    if len(content) > LARGEST_TEXT:
        raise FileProblem(f"{path} is larger than {LARGEST_TEXT >> 20} MB. Cut it into several.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(f"{path} is not UTF-8; save it as UTF-8.") from error
