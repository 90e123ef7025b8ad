"""Which format a file is in, by what its first readable row holds."""

from itertools import islice
from typing import BinaryIO, Literal

from labeling.formats import jsonl, vera
from labeling.formats.fields import Fields
from labeling.formats.source import Found, read_objects

type Format = Literal["vera", "jsonl"]

_MOST_ROWS = 1000  # after so many unreadable ones it does not matter
READERS = {"vera": vera.read, "jsonl": jsonl.read}


def detect(stream: BinaryIO) -> Format:
    """The format of a seekable file. Raises FileProblem where it is empty or unreadable."""
    begins = islice(read_objects(stream), _MOST_ROWS)
    first = next((found for found in begins if isinstance(found, Found)), None)
    return "jsonl" if first is not None and _is_jsonl(first.value) else "vera"


def _is_jsonl(fields: Fields) -> bool:
    return (
        "judges" in fields
        or isinstance(fields.get("human"), list)
        or isinstance(fields.get("criteria"), list)
    )
