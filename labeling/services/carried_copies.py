"""What is carried over to another version of the criteria: which labels and rulings, and their copies."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet

from labeling.models import CriteriaVersion, Criterion, Label, Mark, Ruling


def labels_to_carry(source: CriteriaVersion, target: CriteriaVersion) -> "QuerySet[Label]":
    """Labels that stand under `source`, of people who say nothing of that row under `target`."""
    theirs = Label.objects.current().filter(
        candidate=OuterRef("candidate"), labeler=OuterRef("labeler"), version=target
    )
    return Label.objects.current().filter(~Exists(theirs), version=source)


def rulings_to_carry(source: CriteriaVersion, target: CriteriaVersion) -> "QuerySet[Ruling]":
    """Rulings that stand under `source`, of rows that are not ruled on under `target`."""
    there = Ruling.objects.current().filter(candidate=OuterRef("candidate"), version=target)
    return Ruling.objects.current().filter(~Exists(there), version=source)


def copy_labels(
    source: CriteriaVersion, target: CriteriaVersion, actor: User, candidate_ids: Sequence[int]
) -> list[int]:
    """Copy the labels of these rows, with the marks that fit; ids of the copies."""
    labels = labels_to_carry(source, target).filter(candidate__in=candidate_ids)
    copies = Label.objects.bulk_create([_copied_label(each, target, actor) for each in labels])
    by_origin = {copy.carried_from_id: copy for copy in copies}
    same = same_criteria(source, target)
    marks = Mark.objects.filter(label__in=list(by_origin), criterion__in=same)
    Mark.objects.bulk_create(
        Mark(label=by_origin[mark.label_id], criterion=same[mark.criterion_id], score=mark.score)
        for mark in marks
    )
    return [copy.pk for copy in copies]


def _copied_label(label: Label, target: CriteriaVersion, actor: User) -> Label:
    return Label(
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


def same_criteria(source: CriteriaVersion, target: CriteriaVersion) -> dict[int, Criterion]:
    """By the id of a criterion of `source`: the one of `target` with the same name and scale."""
    kept = {_identity(criterion): criterion for criterion in target.criteria.all()}
    return {each.pk: kept[_identity(each)] for each in source.criteria.all() if _identity(each) in kept}


def _identity(criterion: Criterion) -> tuple[str, int, int]:
    return criterion.name, criterion.scale_min, criterion.scale_max


def copy_rulings(
    source: CriteriaVersion, target: CriteriaVersion, actor: User, candidate_ids: Sequence[int]
) -> list[int]:
    """Copy the rulings of these rows; ids of the copies."""
    rulings = rulings_to_carry(source, target).filter(candidate__in=candidate_ids)
    copies = Ruling.objects.bulk_create([_copied_ruling(each, target, actor) for each in rulings])
    return [copy.pk for copy in copies]


def _copied_ruling(ruling: Ruling, target: CriteriaVersion, actor: User) -> Ruling:
    return Ruling(
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
