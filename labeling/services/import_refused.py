"""The refused rows of a file, all of them: what was wrong with each, and the rows themselves to correct."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, BinaryIO

from labeling.formats.csv import write_line
from labeling.formats.detect import READERS
from labeling.formats.source import Found, lines, read_objects, utf8_pieces
from labeling.models import ImportJob
from labeling.services.import_files import is_there, path_of

_NO_MORE = 1 << 62  # a line that no file has


def has_refused(job: ImportJob) -> bool:
    """Whether there are refused rows to download."""
    return path_of(job.stored_as, "refused").is_file()


def can_correct(job: ImportJob) -> bool:
    """Whether the refused rows themselves can still be had."""
    return has_refused(job) and is_there(job.stored_as)


def refused_rows(job: ImportJob) -> Iterator[dict[str, Any]]:
    """Each refused row as `Refused.as_json` has it; none where nothing was refused."""
    if has_refused(job):
        with path_of(job.stored_as, "refused").open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def refused_as_csv(job: ImportJob) -> Iterator[str]:
    """A heading and a line for each refused row; no cell can become a formula."""
    yield write_line(["line", "element", "field", "reason"])
    for row in refused_rows(job):
        yield write_line([str(row["line"]), str(row.get("element", "")), row["field"], row["reason"]])


def refused_as_jsonl(job: ImportJob) -> Iterator[str]:
    """One object for each refused row."""
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in refused_rows(job))


def rows_to_correct(job: ImportJob) -> Iterator[bytes]:
    """The refused rows as they stand in the file, after its heading where it has one; in UTF-8."""
    refused = list(refused_rows(job))
    elements = {row["element"] for row in refused if "element" in row}
    with path_of(job.stored_as).open("rb") as file:
        if elements:
            yield from _elements(file, elements)
        else:
            yield from _lines(file, job, {row["line"] for row in refused})


def _elements(file: BinaryIO, wanted: set[int]) -> Iterator[bytes]:
    begin = "[\n"
    for found in read_objects(file):
        if isinstance(found, Found) and found.element in wanted:
            yield (begin + json.dumps(found.value, ensure_ascii=False)).encode("utf-8", "surrogatepass")
            begin = ",\n"
    yield (b"" if begin == ",\n" else b"[") + b"\n]\n"


def _lines(file: BinaryIO, job: ImportJob, wanted: set[int]) -> Iterator[bytes]:
    """A row goes from the line it begins on to where the next one begins; before the first is the heading."""
    begun = sorted({row.line for row in READERS[job.format](file, job.mapping)})
    next_after = dict(pairwise(begun))
    until, held = begun[0] if begun else 0, b""
    for number, line in enumerate(lines(utf8_pieces(file)), start=1):
        if number in wanted:
            until = next_after.get(number, _NO_MORE)
        if line is not None and number < until:
            yield held  # not the last one, if it is what follows the file's last line end
            held = bytes(line) + b"\n"
    yield held if held != b"\n" else b""
