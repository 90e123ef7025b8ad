"""How far the people of a file agree with each other, straight from its rows: nothing is imported."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, BinaryIO

from labeling.domain.agreement import Undefined
from labeling.domain.human import pair_kappa
from labeling.formats import fields as read
from labeling.formats.fields import Fields
from labeling.formats.people import FINAL
from labeling.formats.rows import FileProblem, Refused, RowProblem
from labeling.formats.source import read_objects


@dataclass(frozen=True, slots=True)
class FilePair:
    """Two annotators on the rows on which both spoke. `kappa`: Cohen's, None where it is undefined."""

    one: str
    other: str
    rows: int
    kappa: float | None


def agreement_in(stream: BinaryIO) -> list[FilePair]:
    """Every pair of annotators of a file's rows, by their verdicts or, where outputs are compared, votes.

    All rows count, duplicates too: these are figures of the file, not of a golden set.
    Raises `FileProblem`, for the first row that cannot be read as well.
    """
    words: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for said in _rows(stream):
        for one, other in combinations(sorted(said), 2):
            words[one, other].append((said[one], said[other]))
    if not words:
        raise FileProblem("No row of the file has words of two people in “human”.")
    return [FilePair(one, other, len(pairs), _kappa(pairs)) for (one, other), pairs in sorted(words.items())]


def _rows(stream: BinaryIO) -> Iterator[Mapping[str, str]]:
    """What each annotator of a row said; a set's own final verdict is nobody's word."""
    for found in read_objects(stream):
        if isinstance(found, Refused):
            raise FileProblem(f"Line {found.line}: {found.reason}")
        try:
            yield dict(_words(found.value))
        except RowProblem as problem:
            raise FileProblem(f"Line {found.line}, {problem.field}: {problem.reason}") from problem


def _words(fields: Fields) -> Iterator[tuple[str, str]]:
    for number, entry in enumerate(read.entries(fields, "human"), start=1):
        name = read.text(entry, "annotator", at=f"human[{number}].annotator")
        word = _word(entry, f"human[{number}]")
        if name and word and name.lower() not in FINAL:
            yield name, word


def _word(entry: Mapping[str, Any], at: str) -> str:
    if entry.get("vote") is not None:
        return read.text(entry, "vote", at=f"{at}.vote").strip().lower()
    return "" if entry.get("verdict") is None else str(read.verdict(entry["verdict"], f"{at}.verdict"))


def _kappa(pairs: list[tuple[str, str]]) -> float | None:
    try:
        return pair_kappa(pairs)
    except Undefined:
        return None
