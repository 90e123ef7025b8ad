"""Labels for another version of the criteria: asked for again, or carried over by an act of a lead."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from labeling.models import Candidate, CriteriaVersion, Criterion, Label, Mark, Ruling, Slot
from labeling.services.audit import record
from labeling.services.queue import open_slots
from labeling.services.truth import truth_changed

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Carried:
    """How many labels and rulings were carried."""

    labels: int
    rulings: int


@transaction.atomic
def ask_for_labels(*, version: CriteriaVersion, actor: User) -> int:
    """Put every row that nobody has labelled or ruled on under `version` into its queue; how many rows."""
    rows = Candidate.objects.filter(criteria_set=version.criteria_set).unlabelled(version)
    ids = list(rows.values_list("pk", flat=True))
    open_slots(version=version, candidate_ids=ids)
    record(
        actor=actor,
        action="labels_asked",
        subject=str(version),
        criteria_set=version.criteria_set,
        rows=len(ids),
    )
    return len(ids)


@transaction.atomic
def carry_labels(*, source: CriteriaVersion, target: CriteriaVersion, actor: User) -> Carried:
    """Take the current labels and rulings of `source` over to `target` of the same set; done twice, once.

    What somebody already said under `target` stands. Marks go along where the criterion has kept its name
    and scale. Each copy names what it was carried from and by whom. Raises ValueError for another set.
    """
    if source.criteria_set_id != target.criteria_set_id or source == target:
        raise ValueError("Labels are carried between two versions of one criteria set.")
    type(target.criteria_set).objects.select_for_update().get(pk=target.criteria_set_id)
    labels = _carry_labels(source, target, actor)
    rulings = _carry_rulings(source, target, actor)
    rows = {label.candidate_id for label in labels} | {ruling.candidate_id for ruling in rulings}
    _close_slots(target)
    record(
        actor=actor,
        action="labels_carried",
        subject=f"{source} to version {target.number}",
        criteria_set=target.criteria_set,
        labels=len(labels),
        rulings=len(rulings),
    )
    truth_changed(version=target, candidate_ids=rows)
    return Carried(len(labels), len(rulings))


def _carry_labels(source: CriteriaVersion, target: CriteriaVersion, actor: User) -> list[Label]:
    theirs = Label.objects.current().filter(
        candidate=OuterRef("candidate"), labeler=OuterRef("labeler"), version=target
    )
    copies = Label.objects.bulk_create(
        [
            Label(
                candidate_id=label.candidate_id,
                version=target,
                labeler_id=label.labeler_id,
                verdict=label.verdict,
                comment=label.comment,
                blind=label.blind,
                source=Label.Source.CARRIED,
                carried_from=label,
                carried_by=actor,
            )
            for label in Label.objects.current().filter(~Exists(theirs), version=source)
        ],
        batch_size=_BATCH,
    )
    _carry_marks(copies, source, target)
    return copies


def _carry_marks(copies: list[Label], source: CriteriaVersion, target: CriteriaVersion) -> None:
    kept = {_identity(criterion): criterion for criterion in target.criteria.all()}
    same = {each.pk: kept[_identity(each)] for each in source.criteria.all() if _identity(each) in kept}
    by_origin = {copy.carried_from_id: copy for copy in copies}
    marks = Mark.objects.filter(label__version=source, criterion__in=same)
    Mark.objects.bulk_create(
        [
            Mark(label=by_origin[mark.label_id], criterion=same[mark.criterion_id], score=mark.score)
            for mark in marks
            if mark.label_id in by_origin
        ],
        batch_size=_BATCH,
    )


def _identity(criterion: Criterion) -> tuple[str, int, int]:
    return criterion.name, criterion.scale_min, criterion.scale_max


def _carry_rulings(source: CriteriaVersion, target: CriteriaVersion, actor: User) -> list[Ruling]:
    there = Ruling.objects.current().filter(candidate=OuterRef("candidate"), version=target)
    return Ruling.objects.bulk_create(
        [
            Ruling(
                candidate_id=ruling.candidate_id,
                version=target,
                verdict=ruling.verdict,
                reason=ruling.reason,
                blind=ruling.blind,
                source=Ruling.Source.CARRIED,
                ruled_by_id=ruling.ruled_by_id,
                carried_from=ruling,
                carried_by=actor,
            )
            for ruling in Ruling.objects.current().filter(~Exists(there), version=source)
        ],
        batch_size=_BATCH,
    )


def _close_slots(version: CriteriaVersion) -> None:
    """Close the open slots of rows that need no more labels, but for those that somebody holds."""
    said = Count(
        "labels",
        distinct=True,
        filter=Q(labels__version=version, labels__superseded_at=None, labels__withdrawn_at=None),
    )
    labelled = Candidate.objects.filter(slots__version=version, slots__state=Slot.State.OPEN).annotate(
        said=said
    )
    enough = labelled.filter(said__gte=version.criteria_set.labels_per_row).values("pk")
    ruled = Ruling.objects.current().filter(version=version).values("candidate")
    idle = Slot.objects.filter(version=version, state=Slot.State.OPEN).free(timezone.now())
    idle.filter(Q(candidate__in=enough) | Q(candidate__in=ruled)).delete()
