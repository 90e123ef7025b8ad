"""Labels and rulings carried over to another version of the criteria by an act of a lead, and taken back."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, Count, Exists, F, IntegerField, Max, OuterRef, Q, QuerySet, When
from django.utils import timezone

from labeling.models import (
    AuditEvent,
    Candidate,
    CriteriaSet,
    CriteriaVersion,
    Label,
    Mark,
    Ruling,
    Slot,
)
from labeling.services.audit import record
from labeling.services.carried_copies import (
    copy_labels,
    copy_rulings,
    labels_to_carry,
    rulings_to_carry,
    same_criteria,
)
from labeling.services.leases import drop_slots
from labeling.services.truth import truth_changed

_BATCH = 500
CARRIED = "labels_carried"
TAKEN_BACK = "labels_taken_back"


class CarryRefused(ValueError):
    """Nothing was carried or taken back; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Carried:
    """How much was carried, or would be. `dropped`: marks that stay behind, by their criterion's name."""

    rows: int = 0
    labels: int = 0
    rulings: int = 0
    marks: int = 0
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """How much no longer counts. `kept`: rows on which people said something since, and that stay."""

    labels: int
    rulings: int
    kept: int


def rows_to_carry(source: CriteriaVersion, target: CriteriaVersion) -> "QuerySet[Candidate]":
    """Rows of which somebody said something under `source` that does not stand under `target` yet."""
    of_row = {"candidate": OuterRef("pk")}
    return Candidate.objects.filter(criteria_set=source.criteria_set_id).filter(
        Exists(labels_to_carry(source, target).filter(**of_row))
        | Exists(rulings_to_carry(source, target).filter(**of_row))
    )


def preview_carry(
    *, source: CriteriaVersion, target: CriteriaVersion, candidate_ids: Collection[int] | None = None
) -> Carried:
    """What `carry_labels` would do now; counted, and nothing is written."""
    chosen = _chosen(candidate_ids)
    labels = labels_to_carry(source, target).filter(chosen)
    marks = Mark.objects.filter(label__in=labels.order_by().values("pk"))
    kept, dropped = 0, dict[str, int]()
    same = same_criteria(source, target)
    counts = marks.order_by().values_list("criterion", "criterion__name").annotate(n=Count("pk"))
    for criterion, name, n in counts:
        if criterion in same:
            kept += n
        else:
            dropped[name] = n
    rows = rows_to_carry(source, target)
    return Carried(
        rows=(rows if candidate_ids is None else rows.filter(pk__in=candidate_ids)).count(),
        labels=labels.count(),
        rulings=rulings_to_carry(source, target).filter(chosen).count(),
        marks=kept,
        dropped=dropped,
    )


@transaction.atomic
def carry_labels(
    *,
    source: CriteriaVersion,
    target: CriteriaVersion,
    actor: User,
    reason: str,
    candidate_ids: Collection[int] | None = None,
) -> Carried:
    """Take the current labels and rulings of `source` over to `target` of the same set; done twice, once.

    `candidate_ids`: of these rows only, None for all. What somebody already said under `target` stands. Marks
    go along where the criterion has kept its name and scale. Each copy names what it was carried from and by
    whom; the audit log keeps `reason`. Raises `CarryRefused` without one, and ValueError for another set.
    """
    if source.criteria_set_id != target.criteria_set_id or source == target:
        raise ValueError("Labels are carried between two versions of one criteria set.")
    if not reason.strip():
        raise CarryRefused("Say in a sentence why what was said still holds; others will ask.")
    CriteriaSet.objects.select_for_update(no_key=True).get(pk=target.criteria_set_id)
    foreseen = preview_carry(source=source, target=target, candidate_ids=candidate_ids)
    rows = rows_to_carry(source, target)
    rows = rows if candidate_ids is None else rows.filter(pk__in=candidate_ids)
    ids = list(rows.order_by("pk").values_list("pk", flat=True))
    labels, rulings = list[int](), list[int]()
    for chunk in batched(ids, _BATCH):
        labels += copy_labels(source, target, actor, chunk)
        rulings += copy_rulings(source, target, actor, chunk)
        _close_slots(target, chunk)
    carried = replace(foreseen, rows=len(ids), labels=len(labels), rulings=len(rulings))
    if ids:
        _record_carry(source, target, actor, reason, carried, _span(labels), _span(rulings))
        truth_changed(version=target, candidate_ids=ids)
    return carried


@transaction.atomic
def take_back(*, event: AuditEvent, actor: User) -> TakenBack:
    """Undo a carrying: its copies no longer count, but for rows on which people said something since.

    `event`: what `carry_labels` recorded. Raises `CarryRefused` where nothing of it is left to take back.
    """
    assert event.criteria_set is not None
    CriteriaSet.objects.select_for_update(no_key=True).get(pk=event.criteria_set.pk)
    labels, rulings = copies_of(event)
    touched = _touched_since(event, labels, rulings)
    labels, rulings = labels.exclude(candidate__in=touched), rulings.exclude(candidate__in=touched)
    ids = {*labels.values_list("candidate", flat=True), *rulings.values_list("candidate", flat=True)}
    if not ids:
        raise CarryRefused("Nothing of this is left to take back: people have gone on from it.")
    now = timezone.now()
    done = TakenBack(labels.update(withdrawn_at=now), rulings.update(superseded_at=now), len(touched))
    target = event.criteria_set.versions.get(number=event.details["target"])
    record(
        actor=actor,
        action=TAKEN_BACK,
        subject=event.subject,
        criteria_set=event.criteria_set,
        event=event.pk,
        labels=done.labels,
        rulings=done.rulings,
        kept=done.kept,
    )
    truth_changed(version=target, candidate_ids=ids)
    return done


def copies_of(event: AuditEvent) -> "tuple[QuerySet[Label], QuerySet[Ruling]]":
    """The labels and rulings that a carrying made and that still count.

    One carrying of a set comes after the other, so its copies are all those between its first and last.
    """
    about: dict[str, Any] = {
        "version__criteria_set": event.criteria_set,
        "version__number": event.details.get("target"),
        "source": Label.Source.CARRIED,
    }
    labels, rulings = event.details.get("label_ids", []), event.details.get("ruling_ids", [])
    return (
        Label.objects.current().filter(**about, pk__range=labels or (0, 0)),
        Ruling.objects.current().filter(**about, pk__range=rulings or (0, 0)),
    )


def carryings_to(version: CriteriaVersion) -> "QuerySet[AuditEvent]":
    """What was carried over to `version`, newest first, with who did it."""
    events = AuditEvent.objects.filter(
        criteria_set=version.criteria_set_id, action=CARRIED, details__target=version.number
    )
    return events.select_related("actor", "criteria_set")


def standing(target: CriteriaVersion, events: Iterable[AuditEvent]) -> set[int]:
    """Ids of those carryings to `target` of which a label or a ruling still counts; one query."""
    copies = {f"of_{event.pk}": copies_of(event) for event in events}
    if not copies:
        return set()
    stand = {name: Exists(labels) | Exists(rulings) for name, (labels, rulings) in copies.items()}
    found = CriteriaVersion.objects.annotate(**stand).values(*stand).get(pk=target.pk)
    return {int(name.removeprefix("of_")) for name, stands in found.items() if stands}


def _touched_since(event: AuditEvent, labels: "QuerySet[Label]", rulings: "QuerySet[Ruling]") -> set[int]:
    """Rows of a carrying of which somebody said something under its version afterwards."""
    rows = Q(candidate__in=labels.order_by().values("candidate"))
    rows |= Q(candidate__in=rulings.order_by().values("candidate"))
    later = Q(
        version__criteria_set=event.criteria_set,
        version__number=event.details["target"],
        created_at__gt=event.created_at,
    )
    said = Label.objects.filter(rows, later, withdrawn_at=None).values_list("candidate", flat=True)
    ruled = Ruling.objects.filter(rows, later).values_list("candidate", flat=True)
    return {*said, *ruled}


def _chosen(candidate_ids: Collection[int] | None) -> Q:
    return Q() if candidate_ids is None else Q(candidate__in=candidate_ids)


def _span(ids: list[int]) -> list[int]:
    return [min(ids), max(ids)] if ids else []


def _record_carry(
    source: CriteriaVersion,
    target: CriteriaVersion,
    actor: User,
    reason: str,
    carried: Carried,
    labels: list[int],
    rulings: list[int],
) -> None:
    details: dict[str, Any] = {
        "source": source.number,
        "target": target.number,
        "reason": reason,
        "rows": carried.rows,
        "labels": carried.labels,
        "rulings": carried.rulings,
        "dropped_marks": sum(carried.dropped.values()),
        "label_ids": labels,  # the first and the last
        "ruling_ids": rulings,
    }
    record(
        actor=actor,
        action=CARRIED,
        subject=f"{source} to version {target.number}",
        criteria_set=target.criteria_set,
        **details,
    )


def _close_slots(version: CriteriaVersion, candidate_ids: Sequence[int]) -> None:
    """Close open slots of rows that want fewer labels now, but for those that somebody holds.

    A row wants as many as its last slot has a number: of two wanted, one that was carried leaves one open.
    """
    of_version = Q(labels__version=version, labels__superseded_at=None, labels__withdrawn_at=None)
    mine, done = Q(slots__version=version), Q(slots__version=version, slots__state=Slot.State.DONE)
    rows = Candidate.objects.filter(pk__in=candidate_ids).annotate(
        said=Count("labels", distinct=True, filter=of_version),
        wanted=Max("slots__number", filter=mine),
        done=Count("slots", distinct=True, filter=done),
    )
    # Up to this number slots are filled by what was carried; all of them where that is enough.
    closes = Case(
        When(said__gte=F("wanted"), then=F("wanted")),
        When(done=0, then=F("said")),
        default=0,
        output_field=IntegerField(),
    )
    upto = dict(rows.annotate(closes=closes).values_list("pk", "closes"))
    ruled = Ruling.objects.current().filter(version=version, candidate__in=candidate_ids)
    settled = set(ruled.values_list("candidate", flat=True))
    idle = Slot.objects.filter(version=version, candidate__in=candidate_ids, state=Slot.State.OPEN)
    gone = [
        slot.pk
        for slot in idle.free(timezone.now()).only("pk", "candidate_id", "number")
        if slot.candidate_id in settled or slot.number <= (upto.get(slot.candidate_id) or 0)
    ]
    drop_slots(Slot.objects.filter(pk__in=gone, state=Slot.State.OPEN).free(timezone.now()))
