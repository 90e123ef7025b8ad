"""Writing what an import adds, in bulk."""

import json
from collections.abc import Sequence

from labeling.domain.content import request_hash
from labeling.formats.rows import Decision, Opinion, Row
from labeling.models import Candidate, Draw, DrawnRow, ImportBatch, Label, Mark, Ruling, Submission
from labeling.services.imports.annotators import Annotators
from labeling.services.imports.inserting import insert
from labeling.services.imports.report import Report
from labeling.services.imports.standing import Subject
from labeling.services.imports.target import Target

_TEXTS = ("content_hash", "split", "request_hash", "request", "output", "grounding", "criteria_text")
_ARRIVAL = ("line", "external_id", "generator_model", "generator_family", "truncated", "meta")


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
        self._candidates: list[tuple[Subject, Row]] = []
        self._arrivals: list[tuple[Subject, Row]] = []
        self._opinions: list[tuple[Subject, str, Opinion]] = []
        self._decisions: list[tuple[Subject, Decision]] = []
        self._drawn: list[tuple[Subject, float]] = []

    def add_candidate(self, candidate: Subject, row: Row) -> None:
        """A candidate that the set lacks."""
        self._candidates.append((candidate, row))

    def add_submission(self, candidate: Subject, row: Row) -> None:
        """One arrival of the candidate."""
        self._arrivals.append((candidate, row))

    def add_label(self, candidate: Subject, username: str, opinion: Opinion) -> None:
        """One person's label with its marks."""
        self._opinions.append((candidate, username, opinion))

    def add_ruling(self, candidate: Subject, decision: Decision) -> None:
        """The file's final verdict on the candidate."""
        self._decisions.append((candidate, decision))

    def add_draw(self, candidate: Subject, probability: float) -> None:
        """With what probability the file says that the candidate was chosen."""
        self._drawn.append((candidate, probability))

    def write(self) -> None:
        """Write what was gathered, parents first: only then is it known which rows the others belong to."""
        self._write_candidates()
        self._write_submissions()
        self._write_labels()
        self._write_rulings()
        self._write_draw()
        self._report.counts["candidates"] += len(self._candidates)
        self._report.counts["submissions"] += len(self._arrivals)
        self.changed.update(candidate.pk for candidate, _, _ in self._opinions)
        self.changed.update(candidate.pk for candidate, _ in self._decisions)
        self._empty()

    def _write_candidates(self) -> None:
        rows = [
            (
                candidate.content_hash,
                candidate.split,
                request_hash(row.request),
                row.request,
                row.output,
                row.grounding,
                row.criteria_text,
            )
            for candidate, row in self._candidates
        ]
        made = insert(Candidate, _TEXTS, rows, criteria_set_id=self._target.version.criteria_set_id)
        for (candidate, _), pk in zip(self._candidates, made, strict=True):
            candidate.pk = pk

    def _write_submissions(self) -> None:
        rows = [
            (
                candidate.pk,
                row.line,
                row.external_id,
                row.generator_model,
                row.generator_family,
                row.truncated,
                json.dumps(row.meta) if row.meta else "{}",
            )
            for candidate, row in self._arrivals
        ]
        insert(
            Submission,
            ("candidate_id", *_ARRIVAL),
            rows,
            batch_id=self.batch.pk,
            source=Submission.Source.IMPORT,
        )

    def _write_draw(self) -> None:
        """One draw for the file; nobody knows what its rows were drawn from."""
        if not self._drawn:
            return
        version, batch = self._target.version, self.batch
        draw, _ = Draw.objects.get_or_create(
            batch=batch,
            strategy=Draw.Strategy.IMPORT,
            defaults={"version": version, "created_by_id": batch.created_by_id},
        )
        rows = [(candidate.pk, probability) for candidate, probability in self._drawn]
        insert(DrawnRow, ("candidate_id", "probability"), rows, draw_id=draw.pk)
        self._report.counts["drawn"] += len(rows)

    def _write_rulings(self) -> None:
        rows = [
            (
                candidate.pk,
                str(decision.verdict or Ruling.Decision.UNRESOLVED),
                decision.reason,
                decision.blind,
            )
            for candidate, decision in self._decisions
        ]
        insert(
            Ruling,
            ("candidate_id", "verdict", "reason", "blind"),
            rows,
            version_id=self._target.version.pk,
            source=Ruling.Source.IMPORT,
            batch_id=self.batch.pk,
        )

    def _write_labels(self) -> None:
        users = self._annotators.ids(username for _, username, _ in self._opinions)
        rows = [
            (candidate.pk, users[username], str(opinion.verdict), opinion.comment, opinion.blind)
            for candidate, username, opinion in self._opinions
        ]
        made = insert(
            Label,
            ("candidate_id", "labeler_id", "verdict", "comment", "blind"),
            rows,
            version_id=self._target.version.pk,
            source=Label.Source.IMPORT,
            batch_id=self.batch.pk,
        )
        opinions = (opinion for _, _, opinion in self._opinions)
        self._write_marks(list(zip(made, opinions, strict=True)))

    def _write_marks(self, labels: Sequence[tuple[int, Opinion]]) -> None:
        given = [(label, name, score) for label, opinion in labels for name, score in opinion.scores.items()]
        self._give_up({name for _, name, score in given if not self._on_scale(name, score)})
        criteria = self._target.criteria
        marks = [
            (label, criteria[name].pk, score) for label, name, score in given if name not in self._off_scale
        ]
        insert(Mark, ("label_id", "criterion_id", "score"), marks)
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
