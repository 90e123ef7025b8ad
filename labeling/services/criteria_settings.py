"""The settings of a criteria set: checked, changed, recorded."""

from datetime import datetime
from decimal import Decimal
from typing import Any, TypedDict, Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from labeling.access import AnyUser
from labeling.domain.content import text_problem
from labeling.domain.criteria import InvalidCriteria
from labeling.models import Candidate, CriteriaSet, Slot
from labeling.services.audit import record
from labeling.services.policies import POLICY, policy_changed
from labeling.services.queue import open_slots

MOST_LABELS_PER_ROW = 20
MOST_DAYS = 3650
MOST_LOOKS = 20
MOST_ROWS = 1_000_000


class SetSettings(TypedDict, total=False):
    """What a criteria set may be given beside its criteria; what is left out keeps its default."""

    labels_per_row: int
    on_split: str
    on_skip: str
    public_badge: bool
    rule: str
    bar: Decimal
    min_rows: int
    min_per_class: int
    min_coverage: Decimal
    max_age_days: int
    demand_ordering: bool
    demand_human_ceiling: bool
    looks: list[int]
    n_max: int
    audit_share: Decimal


class SetChanges(SetSettings, total=False):
    """What may change of a criteria set that exists."""

    name: str
    description: str


def check_settings(criteria_set: CriteriaSet) -> None:
    """Raise `InvalidCriteria` with a sentence when a setting of the set is out of its range."""
    for text in (criteria_set.name, criteria_set.description):
        if problem := text_problem(text):
            raise InvalidCriteria(problem)
    if not criteria_set.name.isprintable():
        raise InvalidCriteria("The name has characters that nobody can see; write it without them.")
    if criteria_set.labels_per_row > MOST_LABELS_PER_ROW:
        raise InvalidCriteria(f"A row can be labelled by at most {MOST_LABELS_PER_ROW} people.")
    if criteria_set.max_age_days > MOST_DAYS:
        raise InvalidCriteria(f"A certificate holds at most {MOST_DAYS} days.")
    check_plan(criteria_set.looks, criteria_set.n_max)
    try:
        criteria_set.full_clean(exclude=["live_version"])
    except ValidationError as error:
        field, problems = next(iter(error.message_dict.items()))
        raise InvalidCriteria(f"{field}: {problems[0]}") from error


def check_plan(looks: Any, n_max: int) -> None:
    """Raise `InvalidCriteria` unless these are planned looks, and `n_max` is not before the last of them."""
    if not isinstance(looks, list) or not all(type(look) is int and look >= 1 for look in looks):
        raise InvalidCriteria("The looks are whole numbers of rows, 1 or more, such as 30, 60, 100.")
    if not 1 <= len(looks) <= MOST_LOOKS:
        raise InvalidCriteria(f"Plan at least one look and at most {MOST_LOOKS}.")
    if looks != sorted(set(looks)):
        raise InvalidCriteria("Each look comes after more rows than the one before: write them ascending.")
    if n_max < looks[-1]:
        raise InvalidCriteria(
            f"The plan ends at {n_max} rows, before its last look at {looks[-1]}. "
            "Let it end there or later, or take that look out."
        )
    if n_max > MOST_ROWS:
        raise InvalidCriteria(f"A plan ends at {MOST_ROWS:,} rows at the latest.")


@transaction.atomic
def update_set(
    *, criteria_set: CriteriaSet, actor: AnyUser | None, **changes: Unpack[SetChanges]
) -> CriteriaSet:
    """Change the named settings, record what was before and after, and bring queue and certificates in line.

    Returns the row as it is now; `changed_settings` says beforehand what would change.
    Raises `InvalidCriteria` with a sentence when a value is out of its range; then nothing is changed.
    """
    # Not the key: whoever certifies meanwhile holds a judge's lock and adds rows that refer to this one.
    locked = CriteriaSet.objects.select_for_update(no_key=True).get(pk=criteria_set.pk)
    before = changed_settings(locked, changes)
    if not before:
        return locked
    for name in before:
        setattr(locked, name, changes[name])  # type: ignore[literal-required]
    check_settings(locked)
    locked.save(update_fields=list(before))
    if "labels_per_row" in before:
        _fit_queue(locked, timezone.now())
    record(
        actor=actor,
        action="criteria_settings",
        subject=locked.slug,
        criteria_set=locked,
        before={name: str(value) for name, value in before.items()},
        after={name: str(getattr(locked, name)) for name in before},
    )
    if before.keys() & set(POLICY):
        policy_changed(criteria_set=locked, actor=actor)
    return locked


def changed_settings(criteria_set: CriteriaSet, changes: SetChanges) -> dict[str, Any]:
    """The present values of those settings that `changes` would change."""
    present = {name: getattr(criteria_set, name) for name in changes}
    return {name: value for name, value in present.items() if value != changes[name]}  # type: ignore[literal-required]


def with_changes(criteria_set: CriteriaSet, changes: SetChanges) -> CriteriaSet:
    """The set as it would be, checked and not saved. Raises `InvalidCriteria`."""
    changed = CriteriaSet.objects.get(pk=criteria_set.pk)
    for name, value in changes.items():
        setattr(changed, name, value)
    check_settings(changed)
    return changed


def _fit_queue(criteria_set: CriteriaSet, now: datetime) -> None:
    """Open the slots that rows in the queue now lack; close open ones that nobody holds and nobody needs."""
    wanted = criteria_set.labels_per_row
    for version in criteria_set.versions.filter(slots__isnull=False).distinct():
        queued = Candidate.objects.filter(slots__version=version).distinct()
        open_slots(version=version, candidate_ids=list(queued.values_list("pk", flat=True)))
        done = Count("slots", filter=Q(slots__version=version, slots__state="done"))
        enough = queued.annotate(done=done).filter(done__gte=wanted)
        idle = Slot.objects.filter(version=version, state="open").exclude(lease_until__gt=now)
        idle.filter(Q(number__gt=wanted) | Q(candidate__in=enough.values("pk"))).delete()
