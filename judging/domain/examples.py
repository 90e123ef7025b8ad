"""Examples in a judge's prompt: rows of the `tune` split as people settled them, kept as they were shown.

The rows that certify a judge are never among them, so an example cannot be evidence: a row keeps its split
for life.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

MOST_ROWS = 8
MOST_CHARACTERS = 20_000  # of all texts together, which go along with every question
_SHORTEST_BOUNDARY = 16


class InvalidExamples(ValueError):
    """These rows cannot be examples; the sentence says which one and why."""


@dataclass(frozen=True, slots=True)
class Example:
    """One row as the judge is shown it. `verdict`: the people's, pass or fail; `comment` is theirs, too.

    `marks`: the people's scores by criterion where they gave some and agree on them. None is made up.
    """

    content_hash: str
    request: str
    candidate: str
    grounding: str
    criteria_text: str
    verdict: str
    comment: str = ""
    marks: Mapping[str, int] = field(default_factory=dict)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that people and programs wrote of it."""
        return self.request, self.candidate, self.grounding, self.criteria_text, self.comment


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of a judge version. `boundary`: the unguessable word that fences them, made once."""

    criteria_set: str
    criteria_version: int
    boundary: str
    rows: tuple[Example, ...]

    @property
    def hashes(self) -> tuple[str, ...]:
        """Which rows they are, in their order."""
        return tuple(row.content_hash for row in self.rows)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that people and programs wrote of them: a verdict that stands there is never the judge's."""
        return tuple(text for row in self.rows for text in row.texts if text)


@dataclass(frozen=True, slots=True)
class Offered:
    """A row that somebody would like to be an example. `name`: as people know it, such as “row 12”.

    `truth`: pass or fail, anything else where people have not settled it; `truncated`: it is known cut off.
    """

    name: str
    split: str
    truth: str | None
    truncated: bool
    example: Example


def take(criteria_set: str, criteria_version: int, rows: Sequence[Offered], boundary: str) -> Examples:
    """Examples of these rows. Raises `InvalidExamples`, and `ValueError` for a boundary that is no fence."""
    _check_number(rows)
    for row in rows:
        _check_row(row)
    examples = Examples(criteria_set, criteria_version, boundary, tuple(row.example for row in rows))
    characters = sum(len(text) for text in examples.texts)
    if characters > MOST_CHARACTERS:
        raise InvalidExamples(
            f"The examples have {characters} characters together and at most {MOST_CHARACTERS} are shown "
            "with every question. Take fewer rows, or shorter ones."
        )
    if len(boundary) < _SHORTEST_BOUNDARY or any(boundary in text for text in examples.texts):
        raise ValueError("The boundary must be at least 16 characters long and occur in none of the texts.")
    return examples


def _check_number(rows: Sequence[Offered]) -> None:
    if not rows:
        raise InvalidExamples("No row is chosen as an example. Choose some, or no criteria set.")
    if len(rows) > MOST_ROWS:
        raise InvalidExamples(f"At most {MOST_ROWS} rows are shown as examples, and these are {len(rows)}.")
    hashes = [row.example.content_hash for row in rows]
    for row in rows:
        if hashes.count(row.example.content_hash) > 1:
            raise InvalidExamples(f"{_capital(row.name)} is given twice as an example.")


def _check_row(row: Offered) -> None:
    if row.split != "tune":
        raise InvalidExamples(
            f"{_capital(row.name)} is of the {row.split} split. Only tune rows can be examples: a judge "
            "that was shown the rows that certify it would be measured on what it was told."
        )
    if row.truth not in ("pass", "fail") or row.example.verdict != row.truth:
        raise InvalidExamples(
            f"{_capital(row.name)} is not settled: people have not said pass or fail of it yet."
        )
    if row.truncated:
        raise InvalidExamples(f"{_capital(row.name)} is known to be cut off, so its verdict teaches nothing.")


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def stored(examples: Examples | None) -> dict[str, Any]:
    """What `JudgeVersion.examples` holds: {} for none."""
    if examples is None:
        return {}
    rows = [asdict(row) | {"marks": dict(row.marks)} for row in examples.rows]
    return {
        "criteria_set": examples.criteria_set,
        "criteria_version": examples.criteria_version,
        "boundary": examples.boundary,
        "rows": rows,
    }


def read_stored(columns: Mapping[str, Any]) -> Examples | None:
    """The examples of a judge version, None where it has none."""
    if not columns:
        return None
    rows = tuple(Example(**row) for row in columns["rows"])
    return Examples(columns["criteria_set"], columns["criteria_version"], columns["boundary"], rows)


def identity(examples: Examples) -> dict[str, Any]:
    """What of them makes the judge judge so: the rows as shown and where; not the random word around them."""
    return {"criteria_set": examples.criteria_set, "rows": stored(examples)["rows"]}
