"""The settings of a criteria set: checked, changed, recorded."""

from decimal import Decimal
from typing import Any, TypedDict, Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from labeling.access import AnyUser
from labeling.domain.content import text_problem
from labeling.domain.criteria import InvalidCriteria
from labeling.models import CriteriaSet
from labeling.services.audit import record
from labeling.services.policies import POLICY, policy_changed
from labeling.services.queue_fitting import fit_queue

MOST_LABELS_PER_ROW = 20
MOST_DAYS = 3650
MOST_LOOKS = 20
MOST_ROWS = 1_000_000
MOST_A_DAY = 10_000

# What the queue follows.
_QUEUE = {"labels_per_row", "double_share", "double_rows"}
# The smallest and the largest value of each number, with the sentence for all others.
RANGES: dict[str, tuple[int, int, str]] = {
    "labels_per_row": (
        1,
        MOST_LABELS_PER_ROW,
        f"A row is labelled by at least one person and at most {MOST_LABELS_PER_ROW} people.",
    ),
    "double_share": (0, 1, "The share of rows that two people label is from 0 to 1, such as 0.2."),
    "double_rows": (
        0,
        MOST_ROWS,
        f"The rows that two people label at least are a whole number from 0 to {MOST_ROWS:,}.",
    ),
    "repeat_share": (0, 1, "The share of rows that people are asked once more is from 0 to 1, such as 0.05."),
    "daily_goal": (
        0,
        MOST_A_DAY,
        f"The goal for a day is a whole number of rows from 0 to {MOST_A_DAY:,}; 0 sets none.",
    ),
    "rows_goal": (
        0,
        MOST_ROWS,
        f"The goal of the set is a whole number of rows from 0 to {MOST_ROWS:,}; 0 sets none.",
    ),
}


class SetSettings(TypedDict, total=False):
    """What a criteria set may be given beside its criteria; what is left out keeps its default."""

    labels_per_row: int
    double_share: Decimal
    double_rows: int
    repeat_share: Decimal
    shows_labels: bool
    daily_goal: int
    rows_goal: int
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
    for name, (low, high, sentence) in RANGES.items():
        if not low <= getattr(criteria_set, name) <= high:
            raise InvalidCriteria(sentence)
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
    if before.keys() & _QUEUE:
        fit_queue(locked, timezone.now())
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
