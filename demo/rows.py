"""The example rows, written for this purpose: each with its right verdict and why."""

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
FILES = {"meeting-summaries": "meeting_summaries.jsonl", "support-replies": "support_replies.jsonl"}
# The meeting summaries arrive in two parts, so that a judge is first compared with too few of them.
FIRST_ROWS = {"meeting-summaries": 12}


@dataclass(frozen=True, slots=True)
class Row:
    """What the scripted jurors know of a row: its output, what is wrong with it, what kind of case it is."""

    candidate: str
    kind: str
    fails: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the rows of a criteria set as a file of its own."""

    slug: str
    file_name: str
    content: bytes


def parts_of(slug: str) -> list[Part]:
    """The files in which the rows of a criteria set arrive, in their order."""
    lines = _lines(slug)
    first = FIRST_ROWS.get(slug, len(lines))
    stem, _, ending = FILES[slug].rpartition(".")
    pieces = [piece for piece in (lines[:first], lines[first:]) if piece]
    return [
        Part(slug, f"{stem}_{number}.{ending}", "\n".join(piece).encode())
        for number, piece in enumerate(pieces, start=1)
    ]


def rows_of(slug: str) -> list[Row]:
    """The rows of one criteria set, from its file of JSON Lines."""
    rows = map(json.loads, _lines(slug))
    return [Row(row["candidate"], row["kind"], tuple(row["fails"]), row["why"]) for row in rows]


def _lines(slug: str) -> list[str]:
    return (FOLDER / FILES[slug]).read_text(encoding="utf-8").splitlines()


def all_rows() -> list[Row]:
    """The rows of both sets."""
    return [row for slug in FILES for row in rows_of(slug)]
