"""A file in a form, written where it stays as it comes in: never in memory, never twice on the disk."""

import contextlib
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest

from labeling.services.import_files import (
    LARGEST,
    TOO_LARGE,
    UploadProblem,
    add_piece,
    check_size,
    forget,
    new_file,
)

_FIELDS = 64 * 1024  # bytes that the rest of the form may take


class StoredFile(UploadedFile[bytes]):
    """A file that has arrived: `stored_as` among the files on their way in, or the `problem` that it had."""

    def __init__(self, name: str, size: int, stored_as: str, problem: str) -> None:
        super().__init__(name=name, size=size)
        self.stored_as = stored_as
        self.problem = problem


class StoringHandler(FileUploadHandler):
    """Writes every file of a form below `VERA_VAR/imports`; what nobody `keep`s goes with `close`."""

    chunk_size = 1024 * 1024

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self._files: list[str] = []
        self._stored_as = self._problem = ""
        self._there = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._there, self._stored_as, self._problem = 0, "", ""
        length = int(self.request.META.get("CONTENT_LENGTH") or 1) if self.request else 1
        try:
            check_size(max(1, length - _FIELDS))
            self._stored_as = new_file()
            self._files.append(self._stored_as)
        except UploadProblem as problem:
            self._problem = str(problem)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self._problem:
            return
        try:
            if self._there + len(raw_data) > LARGEST:
                raise UploadProblem(TOO_LARGE)
            self._there = add_piece(self._stored_as, self._there, raw_data)
        except UploadProblem as problem:
            self._problem = str(problem)
            forget(self._stored_as)

    def file_complete(self, file_size: int) -> StoredFile:
        return StoredFile(self.file_name or "", file_size, self._stored_as, self._problem)

    def keep(self, stored_as: str) -> None:
        """This file is somebody's now."""
        self._files.remove(stored_as)

    def close(self) -> None:
        """Remove what nobody took."""
        for name in self._files:
            with contextlib.suppress(OSError):
                forget(name)
