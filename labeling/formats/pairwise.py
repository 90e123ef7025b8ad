"""Pairs: each row has two candidates to one request and, by annotator, which of them is the better one.

`{"request", "candidate_a", "candidate_b", "human": [{"annotator", "vote": "a" | "b" | "tie"}]}`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Literal

from labeling.formats import fields as read
from labeling.formats.common import LONGEST_ID, read_rows
from labeling.formats.fields import Fields
from labeling.formats.people import FINAL
from labeling.formats.rows import FileProblem, Refused, RowProblem, StatedCriterion
from labeling.formats.source import Found
from labeling.formats.stated_criteria import read_criteria
from labeling.formats.strict_json import quote

type Vote = Literal["a", "b", "tie"]
_VOTES: dict[str, Vote] = {"a": "a", "b": "b", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two candidates to one request, and who voted for which. `votes`: annotator → vote, in their order."""

    line: int
    a: str
    b: str
    request: str = ""
    grounding: str = ""
    criteria_text: str = ""
    criteria: tuple[StatedCriterion, ...] = ()
    external_id: str = ""
    votes: Mapping[str, Vote] = field(default_factory=dict)
    element: int | None = None

    def refuse(self, field: str, reason: str) -> Refused:
        """This row, refused."""
        return Refused(self.line, field, reason, self.element)

    def winner(self, gold: str = "") -> Vote | None:
        """What the annotator `gold` says; else the file's own final vote (consensus, gold), else the strict
        majority of the votes. None where nobody has decided.
        """
        if gold:
            return self.votes.get(gold)
        final = next((vote for name, vote in self.votes.items() if name.lower() in FINAL), None)
        return final or _majority(self.votes)


def read_pairs(stream: BinaryIO) -> Iterator[Pair | Refused]:
    """Pairs of a file of lines or of one JSON array. Raises FileProblem where it cannot be read at all."""
    return read_rows(stream, _read_pair)


def _read_pair(found: Found) -> Pair:
    fields = found.value
    _check_pair(fields)
    criteria_text, criteria = read_criteria(fields)
    return Pair(
        line=found.line,
        element=found.element,
        a=read.text(fields, "candidate_a"),
        b=read.text(fields, "candidate_b"),
        request=read.text(fields, "request"),
        grounding=read.text(fields, "grounding"),
        criteria_text=criteria_text or read.text(fields, "criteria_text"),
        criteria=criteria,
        external_id=read.short_text(fields, "id", LONGEST_ID),
        votes=_read_votes(fields),
    )


def _check_pair(fields: Fields) -> None:
    if "candidate" in fields and "candidate_a" not in fields:
        raise FileProblem(
            "This file is not pairwise: its rows have one candidate each, and a reference set needs a better "
            "and a worse one. Import it as golden rows, then make reference sets of them."
        )
    for name in ("candidate_a", "candidate_b"):
        if fields.get(name) is None:
            raise RowProblem(name, "The row has no such candidate; a pair needs both.")
    if fields["candidate_a"] == fields["candidate_b"]:
        raise RowProblem("candidate_b", "Both candidates are the same text, so neither is the better one.")


def _read_votes(fields: Fields) -> dict[str, Vote]:
    """Votes by annotator; who gave none is left out."""
    votes: dict[str, Vote] = {}
    for number, entry in enumerate(read.entries(fields, "human"), start=1):
        at = f"human[{number}]"
        annotator = read.text(entry, "annotator", at=f"{at}.annotator")
        if not annotator.strip():
            raise RowProblem(f"{at}.annotator", "The annotator has no name.")
        if annotator in votes:
            raise RowProblem(at, f"The annotator {quote(annotator)} appears twice in this row; keep one.")
        if entry.get("vote") is not None:
            votes[annotator] = _read_vote(entry["vote"], f"{at}.vote")
    if sum(name.lower() in FINAL for name in votes) > 1:
        raise RowProblem("human", "The row has two final votes (consensus, gold); keep one.")
    return votes


def _read_vote(value: object, at: str) -> Vote:
    vote = _VOTES.get(value) if isinstance(value, str) else None
    if vote is None:
        raise RowProblem(at, f"{quote(value)} is no vote: write “a”, “b” or “tie”.")
    return vote


def _majority(votes: Mapping[str, Vote]) -> Vote | None:
    counted = Counter(votes.values()).most_common(1)
    return counted[0][0] if counted and 2 * counted[0][1] > len(votes) else None
