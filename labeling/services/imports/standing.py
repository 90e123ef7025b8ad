"""What is already known of the candidates that a few rows are about: loaded at once, updated row by row."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from labeling.domain.truth import LabelFact, RulingFact, Truth, settle
from labeling.domain.verdicts import HumanVerdict
from labeling.formats.rows import Row
from labeling.models import Candidate, CriteriaVersion, DrawnRow, ImportBatch, Label, Ruling, Submission


@dataclass(slots=True)
class Subject:
    """The candidate that rows are about; its primary key is 0 until it is written."""

    content_hash: str
    split: str
    pk: int = 0


@dataclass(slots=True)
class Standing:
    """One candidate with its current labels by user name, its ruling, and how often each arrival was seen."""

    candidate: Subject
    labels: dict[str, LabelFact] = field(default_factory=dict)
    past_labels: set[tuple[str, str]] = field(default_factory=set)  # corrected since they were imported
    ruling: RulingFact | None = None
    past_rulings: set[str] = field(default_factory=set)  # imported, superseded since
    arrivals: Counter[int] = field(default_factory=Counter)
    probability: float | None = None  # with which it was drawn unequally

    @property
    def truth(self) -> Truth | None:
        """As `labeling.domain.truth.settle` has it."""
        return settle(self.labels.values(), self.ruling, self.candidate.split)

    @property
    def wants_labels(self) -> bool:
        """Whether a further label would help: nobody spoke, or people are tied and no ruling stands."""
        return self.ruling is None and self.truth in (None, Truth.UNRESOLVED)


def load_standings(
    version: CriteriaVersion, hashes: Iterable[str], *, but: ImportBatch
) -> dict[str, Standing]:
    """Those of the candidates (by content hash) that the set has; arrivals but those of one batch."""
    found = Candidate.objects.filter(criteria_set_id=version.criteria_set_id, content_hash__in=set(hashes))
    subjects = found.order_by().values_list("content_hash", "split", "pk")
    standings = {pk: Standing(Subject(content, split, pk)) for content, split, pk in subjects}
    if standings:
        _load_labels(version, standings)
        _load_rulings(version, standings)
        _load_arrivals(standings, but)
        for candidate, probability in DrawnRow.objects.unequal(standings).items():
            standings[candidate].probability = probability
    return {standing.candidate.content_hash: standing for standing in standings.values()}


def _load_labels(version: CriteriaVersion, standings: dict[int, Standing]) -> None:
    labels = Label.objects.filter(version=version, candidate__in=standings, withdrawn_at=None)
    for candidate, name, verdict, blind, source, superseded in labels.values_list(
        "candidate", "labeler__username", "verdict", "blind", "source", "superseded_at"
    ):
        standing = standings[candidate]
        if superseded is None:
            standing.labels[name] = LabelFact(name, HumanVerdict(verdict), blind)
        elif source == Label.Source.IMPORT:
            standing.past_labels.add((name, verdict))


def _load_rulings(version: CriteriaVersion, standings: dict[int, Standing]) -> None:
    rulings = Ruling.objects.filter(version=version, candidate__in=standings)
    for candidate, verdict, blind, source, superseded in rulings.values_list(
        "candidate", "verdict", "blind", "source", "superseded_at"
    ):
        standing = standings[candidate]
        if superseded is None:
            standing.ruling = RulingFact(decided(verdict), blind)
        elif source == Ruling.Source.IMPORT:
            standing.past_rulings.add(verdict)


def decided(verdict: str) -> HumanVerdict | None:
    """A stored ruling's verdict; None where it declares the candidate unresolved."""
    return None if verdict == Ruling.Decision.UNRESOLVED else HumanVerdict(verdict)


def _load_arrivals(standings: dict[int, Standing], but: ImportBatch) -> None:
    arrivals = Submission.objects.filter(candidate__in=standings).exclude(batch=but)
    arrivals = arrivals.exclude(source=Submission.Source.REFERENCE)  # as a golden row it has yet to arrive
    for candidate, *known in arrivals.values_list(
        "candidate", "external_id", "generator_model", "generator_family", "truncated", "meta"
    ):
        standings[candidate].arrivals[_arrival(*known)] += 1


def arrival_of(row: Row) -> int:
    """A number that is the same for the same arrival of one candidate, within one process."""
    return _arrival(row.external_id, row.generator_model, row.generator_family, row.truncated, dict(row.meta))


def _arrival(external_id: str, model: str, family: str, truncated: bool, meta: Any) -> int:
    return hash((external_id, model, family, truncated, _frozen(meta)))


def _frozen(value: Any) -> Any:
    # Hashed, not compared as text: a database may give back 100 for 1e2, and keys in another order.
    if isinstance(value, dict):
        return frozenset((name, _frozen(inner)) for name, inner in value.items())
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
