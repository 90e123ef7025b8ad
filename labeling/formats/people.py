"""What people said of a row, as entries `{"annotator", "verdict", "scores", "comment", "blind"}`."""

from collections.abc import Iterator
from typing import Any

from labeling.formats import fields as read
from labeling.formats.fields import Fields
from labeling.formats.rows import Decision, Opinion, Row, RowProblem
from labeling.formats.strict_json import quote

FINAL = frozenset({"consensus", "gold"})  # a set's own final verdict, not one person's
UNRESOLVED = "unresolved"

type People = tuple[tuple[Opinion, ...], Decision | None, int]


def read_people(fields: Fields, name: str) -> People:
    """The opinions among the entries, the final decision if there is one, and how many gave no verdict.

    A row's own `blind` holds for every entry that does not say otherwise.
    """
    blind = read.flag(fields, "blind", default=True)
    opinions: dict[str, Opinion] = {}
    decision: Decision | None = None
    silent = 0
    for number, entry in enumerate(read.entries(fields, name), start=1):
        at = f"{name}[{number}]"
        annotator = _annotator(entry, at)
        if entry.get("verdict") is None:
            silent += 1
        elif annotator.lower() in FINAL:
            if decision is not None:
                raise RowProblem(at, "The row has two final verdicts (consensus, gold); keep one.")
            decision = _decision(entry, at, blind)
        elif annotator in opinions:
            raise RowProblem(at, f"The annotator {quote(annotator)} appears twice in this row; keep one.")
        else:
            opinions[annotator] = _opinion(entry, annotator, at, blind)
    return tuple(opinions.values()), decision, silent


def _annotator(entry: Fields, at: str) -> str:
    name = read.text(entry, "annotator", at=f"{at}.annotator")
    check_annotator(name, f"{at}.annotator")
    return name


def check_annotator(name: str, at: str) -> None:
    """Raise RowProblem where this is no name that people can read."""
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise RowProblem(at, f"{quote(name)} is no name: it is empty or cannot be seen.")


def _opinion(entry: Fields, annotator: str, at: str, blind: bool) -> Opinion:
    return Opinion(
        verdict=read.verdict(entry["verdict"], f"{at}.verdict"),
        annotator=annotator,
        comment=read.text(entry, "comment", at=f"{at}.comment"),
        blind=read.flag(entry, "blind", default=blind, at=f"{at}.blind"),
        scores=read.scores(entry, f"{at}.scores"),
    )


def _decision(entry: Fields, at: str, blind: bool) -> Decision:
    unresolved = entry["verdict"] == UNRESOLVED
    return Decision(
        verdict=None if unresolved else read.verdict(entry["verdict"], f"{at}.verdict"),
        reason=read.text(entry, "comment", at=f"{at}.comment"),
        blind=read.flag(entry, "blind", default=blind, at=f"{at}.blind"),
    )


def write_people(row: Row) -> Iterator[dict[str, Any]]:
    """The row's entries, the final verdict first; `read_people` reads them back as they were."""
    if row.decision is not None:
        verdict = str(row.decision.verdict or UNRESOLVED)
        yield _entry("consensus", verdict, {}, row.decision.reason, row.decision.blind)
    for opinion in row.opinions:
        name = opinion.annotator or "file"
        yield _entry(name, str(opinion.verdict), dict(opinion.scores), opinion.comment, opinion.blind)


def _entry(annotator: str, verdict: str, scores: dict[str, int], comment: str, blind: bool) -> dict[str, Any]:
    entry = {"annotator": annotator, "verdict": verdict, "scores": scores, "comment": comment or None}
    return entry if blind else entry | {"blind": False}
