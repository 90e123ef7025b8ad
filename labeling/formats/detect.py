"""Which format a file is in, by what its first readable row holds; its name only breaks a tie.

Where a file could be of two formats that read differently, a sentence asks which one is meant.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import BinaryIO, Literal, Protocol

from labeling.formats import csv, flat, jsonl, label_studio, langfuse_items, langfuse_scores, tsv, vera
from labeling.formats.delimited import read_table
from labeling.formats.field_mapping import suggested
from labeling.formats.fields import Fields
from labeling.formats.rows import FileProblem, Refused, Row
from labeling.formats.source import Found, begins_as_json, read_objects

type Format = Literal[
    "vera", "jsonl", "csv", "tsv", "flat", "label_studio", "langfuse_scores", "langfuse_items"
]


class Reader(Protocol):
    """Rows of a seekable file, each or its refusal; FileProblem where it cannot be read at all."""

    def __call__(self, stream: BinaryIO, mapping: Mapping[str, str] = {}) -> Iterator[Row | Refused]:
        """`mapping` is {the file's column: Vera's field}, for the formats in MAPPED."""
        ...


READERS: dict[str, Reader] = {
    "vera": vera.read,
    "jsonl": jsonl.read,
    "csv": csv.read,
    "tsv": tsv.read,
    "flat": flat.read,
    "label_studio": label_studio.read,
    "langfuse_scores": langfuse_scores.read,
    "langfuse_items": langfuse_items.read,
}
WORDS = {
    "vera": "Vera, short: one JSON object for each candidate",
    "jsonl": "JSON Lines with everything, as Vera exports it",
    "csv": "CSV table",
    "tsv": "TSV table (tabs)",
    "flat": "JSON with names of another tool",
    "label_studio": "Label Studio tasks (JSON)",
    "langfuse_scores": "Langfuse scores with their traces",
    "langfuse_items": "Langfuse dataset items",
}
MAPPED = frozenset({"csv", "tsv", "flat", "label_studio", "langfuse_scores"})  # formats that take a mapping
NAMES_ITS_PEOPLE = frozenset({"jsonl"})  # formats in which no verdict is without its annotator

_MOST_ROWS = 1000  # after so many unreadable ones it does not matter


def detect(stream: BinaryIO, file_name: str = "") -> Format:
    """The format of a seekable file. Raises FileProblem where it is empty, unreadable or could be two things.

    `file_name` is a hint, for a table of a single column and for what is no format at all.
    """
    if not begins_as_json(stream):
        return _of_table(stream, file_name.lower())
    begins = islice(read_objects(stream), _MOST_ROWS)
    first = next((found for found in begins if isinstance(found, Found)), None)
    return "vera" if first is None else _of_object(first.value)


def _of_object(fields: Fields) -> Format:
    if label_studio.is_task(fields):
        return "label_studio"
    if "candidate" in fields or "candidate_a" in fields:
        return "jsonl" if _is_jsonl(fields) else "vera"
    return _of_langfuse(fields) or "flat"


def _is_jsonl(fields: Fields) -> bool:
    return (
        "judges" in fields
        or isinstance(fields.get("human"), list)
        or isinstance(fields.get("criteria"), list)
    )


def _of_langfuse(names: Mapping[str, object]) -> Format | None:
    """The export of Langfuse that has these names, None where it is of another tool."""
    scores, items = langfuse_scores.has_names(names), langfuse_items.has_names(names)
    if langfuse_items.could_be(names) and not scores and not items:
        raise FileProblem(
            "The file has “input” and “expectedOutput”: it may be dataset items of Langfuse, whose expected "
            "output is the text to judge, or rows of another tool. Choose langfuse_items, or flat (JSON) or "
            "csv and say which column is which."
        )
    if scores:
        return "langfuse_scores"
    return "langfuse_items" if items else None


def _of_table(stream: BinaryIO, file_name: str) -> Format:
    named = file_name.endswith((".csv", ".tsv", ".tab"))
    if file_name.endswith((".json", ".jsonl", ".ndjson")):
        return "vera"  # which says of each line why it is no JSON
    table = read_table(stream)
    if len(table.columns) == 1 and not named and not any(suggested(table.columns).values()):
        raise FileProblem(
            "The file is neither JSON nor a table with a heading. If it is a table, its first line must name "
            "the columns, separated by commas, semicolons or tabs; choose csv or tsv."
        )
    if table.delimiter == "\t":
        return "tsv"
    return _of_langfuse(dict.fromkeys(table.columns)) or "csv"
