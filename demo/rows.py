"""The example rows, written for this purpose: each with its right verdict and why."""

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
FILES = {"meeting-summaries": "meeting_summaries.jsonl", "support-replies": "support_replies.jsonl"}


@dataclass(frozen=True, slots=True)
class Row:
    """What the scripted jurors know of a row: its output, what is wrong with it, what kind of case it is."""

    candidate: str
    kind: str
    fails: tuple[str, ...]
    why: str


def rows_of(slug: str) -> list[Row]:
    """The rows of one criteria set, from its file of JSON Lines."""
    lines = (FOLDER / FILES[slug]).read_text(encoding="utf-8").splitlines()
    return [
        Row(row["candidate"], row["kind"], tuple(row["fails"]), row["why"]) for row in map(json.loads, lines)
    ]


def all_rows() -> list[Row]:
    """The rows of both sets."""
    return [row for slug in FILES for row in rows_of(slug)]
