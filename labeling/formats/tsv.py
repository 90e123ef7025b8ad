"""The table of `csv` with tabs between its cells; texts with tabs, quotes and line breaks are in quotes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from labeling.formats import csv
from labeling.formats.rows import Refused, Row


def read(stream: BinaryIO, mapping: Mapping[str, str] = {}) -> Iterator[Row | Refused]:
    """As `csv.read`."""
    return csv.read(stream, mapping, delimiter="\t")


def write(rows: Iterable[Row]) -> Iterator[str]:
    """As `csv.write`."""
    return csv.write(rows, delimiter="\t")
