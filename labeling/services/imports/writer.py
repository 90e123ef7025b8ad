"""Writing what an import adds, in bulk."""

from collections.abc import Sequence
from typing import Any

from labeling.formats.rows import Decision, Opinion, Row
from labeling.models import Candidate, ImportBatch, Label, Mark, Ruling, Submission
from labeling.services.imports.annotators import Annotators
from labeling.services.imports.report import Report
from labeling.services.imports.target import Target

_AT_ONCE = 1000


class Writer:
    """Gathers rows of every table until `write`, which empties it."""

    def __init__(self, target: Target, batch: ImportBatch, annotators: Annotators, report: Report) -> None:
        self.batch = batch
        self.changed: set[int] = set()  # candidates with a new label or ruling
        self._target = target
        self._annotators = annotators
        self._report = report
        self._off_scale: set[str] = set()
        self._empty()

    def _empty(self) -> None:
        self._candidates: list[Candidate] = []
        self._arrivals: list[tuple[Candidate, Row]] = []
        self._opinions: list[tuple[Candidate, str, Opinion]] = []
        self._decisions: list[tuple[Candidate, Decision]] = []

    def add_candidate(self, candidate: Candidate) -> None:
        """A candidate that the set lacks."""
        self._candidates.append(candidate)

    def add_submission(self, candidate: Candidate, row: Row) -> None:
        """One arrival of the candidate."""
        self._arrivals.append((candidate, row))

    def add_label(self, candidate: Candidate, username: str, opinion: Opinion) -> None:
        """One person's label with its marks."""
        self._opinions.append((candidate, username, opinion))

    def add_ruling(self, candidate: Candidate, decision: Decision) -> None:
        """The file's final verdict on the candidate."""
        self._decisions.append((candidate, decision))

    def write(self) -> None:
        """Write what was gathered, parents first: only then is it known which rows the others belong to."""
        _insert(Candidate, self._candidates)
        _insert(Submission, [self._submission(candidate, row) for candidate, row in self._arrivals])
        self._write_labels()
        _insert(Ruling, [self._ruling(candidate, decision) for candidate, decision in self._decisions])
        self._report.counts["candidates"] += len(self._candidates)
        self._report.counts["submissions"] += len(self._arrivals)
        self.changed.update(candidate.pk for candidate, _, _ in self._opinions)
        self.changed.update(candidate.pk for candidate, _ in self._decisions)
        self._empty()

    def _submission(self, candidate: Candidate, row: Row) -> Submission:
        return Submission(
            candidate_id=candidate.pk,
            batch_id=self.batch.pk,
            line=row.line,
            external_id=row.external_id,
            generator_model=row.generator_model,
            generator_family=row.generator_family,
            truncated=row.truncated,
            meta=dict(row.meta),
            source=Submission.Source.IMPORT,
        )

    def _ruling(self, candidate: Candidate, decision: Decision) -> Ruling:
        return Ruling(
            candidate_id=candidate.pk,
            version_id=self._target.version.pk,
            verdict=decision.verdict or Ruling.Decision.UNRESOLVED,
            reason=decision.reason,
            blind=decision.blind,
            source=Ruling.Source.IMPORT,
            batch_id=self.batch.pk,
        )

    def _label(self, candidate: Candidate, labeler: int, opinion: Opinion) -> Label:
        return Label(
            candidate_id=candidate.pk,
            version_id=self._target.version.pk,
            labeler_id=labeler,
            verdict=opinion.verdict,
            comment=opinion.comment,
            blind=opinion.blind,
            source=Label.Source.IMPORT,
            batch_id=self.batch.pk,
        )

    def _write_labels(self) -> None:
        users = self._annotators.ids(username for _, username, _ in self._opinions)
        labels = [
            self._label(candidate, users[username], opinion)
            for candidate, username, opinion in self._opinions
        ]
        _insert(Label, labels)
        opinions = (opinion for _, _, opinion in self._opinions)
        self._write_marks(list(zip(labels, opinions, strict=True)))

    def _write_marks(self, labels: Sequence[tuple[Label, Opinion]]) -> None:
        given = [(label, name, score) for label, opinion in labels for name, score in opinion.scores.items()]
        self._give_up({name for _, name, score in given if not self._on_scale(name, score)})
        criteria = self._target.criteria
        marks = [
            Mark(label=label, criterion=criteria[name], score=score)
            for label, name, score in given
            if name not in self._off_scale
        ]
        _insert(Mark, marks)
        self._report.counts["marks"] += len(marks)
        self._report.counts["marks_dropped"] += len(given) - len(marks)

    def _on_scale(self, name: str, score: int) -> bool:
        criterion = self._target.criteria[name]
        return criterion.scale_min <= score <= criterion.scale_max

    def _give_up(self, names: set[str]) -> None:
        """Leave out every mark of criteria that the file marks on another scale.

        One score off the scale shows that the others, too, mean something else than they seem to.
        """
        for name in sorted(names - self._off_scale):
            criterion = self._target.criteria[name]
            written, _ = Mark.objects.filter(label__batch=self.batch, criterion=criterion).delete()
            self._report.counts["marks"] -= written
            self._report.counts["marks_dropped"] += written
            self._report.notes.append(
                f"The marks on “{name}” were left out: the file has some outside the scale "
                f"{criterion.scale_min} to {criterion.scale_max} of {self._target.version}."
            )
        self._off_scale |= names


def _insert(table: Any, rows: Sequence[Any]) -> None:
    if rows:
        table.objects.bulk_create(rows, batch_size=_AT_ONCE)
