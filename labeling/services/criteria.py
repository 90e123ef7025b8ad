"""Criteria sets and their versions: made, added to, promoted; never edited."""

import hashlib
from collections.abc import Collection
from decimal import Decimal
from fractions import Fraction
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction

from labeling.access import AnyUser
from labeling.domain.content import canonical_json, text_problem
from labeling.domain.criteria import CriteriaSpec, CriterionSpec, InvalidCriteria, check_criteria
from labeling.models import CriteriaSet, CriteriaVersion, Criterion, Membership
from labeling.services.audit import record
from labeling.services.criteria_settings import SetSettings, check_settings
from labeling.services.promotions import NotPromoted, check_confirmed, check_unchanged, gate_changes

LARGEST_NUMBER = 1000


class NewerVersion(ValueError):
    """Somebody else added a version since the editor was opened; `newest` is the last one there is."""

    def __init__(self, newest: CriteriaVersion) -> None:
        self.newest = newest
        super().__init__(f"Version {newest.number} was added meanwhile.")


class IsArchived(NotPromoted):
    """The version was put aside: it is restored first."""


def spec_of(version: CriteriaVersion) -> CriteriaSpec:
    """The version as plain values. Two queries fewer with `criteria` prefetched: it asks for nothing else."""
    return CriteriaSpec(
        criteria=tuple(_criterion_spec(criterion) for criterion in version.criteria.all()),
        threshold=version.threshold,
    )


def spec_hash(spec: CriteriaSpec) -> str:
    """Identity of a version's content (sha256, hex): threshold and all criteria in their order."""
    content = {
        "threshold": str(_stored_threshold(spec)),
        "criteria": [
            {
                "name": criterion.name,
                "description": criterion.description,
                "weight": criterion.weight,
                "required": criterion.required,
                "scale": [criterion.scale_min, criterion.scale_max],
                "minimum": criterion.minimum,
                "strategy": criterion.strategy,
                "params": dict(criterion.params),
            }
            for criterion in spec.criteria
        ],
    }
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()


@transaction.atomic
def create_criteria_set(
    *,
    slug: str,
    name: str,
    spec: CriteriaSpec,
    description: str = "",
    actor: AnyUser | None = None,
    **settings: Unpack[SetSettings],
) -> CriteriaSet:
    """Make a criteria set whose version 1 is live; `actor` becomes its lead.

    Raises `InvalidCriteria` with a sentence when the criteria, a setting or the slug cannot be used.
    """
    criteria_set = CriteriaSet(slug=slug, name=name, description=description, **settings)
    check_settings(criteria_set)
    criteria_set.save()
    criteria_set.live_version = add_version(criteria_set=criteria_set, spec=spec, actor=actor)
    criteria_set.save(update_fields=["live_version"])
    if actor is not None and actor.is_authenticated:
        Membership.objects.create(user=actor, criteria_set=criteria_set, role=Membership.Role.LEAD)
    record(actor=actor, action="criteria_set_created", subject=slug, criteria_set=criteria_set)
    return criteria_set


@transaction.atomic
def add_version(
    *,
    criteria_set: CriteriaSet,
    spec: CriteriaSpec,
    actor: AnyUser | None = None,
    note: str = "",
    seen: int | None = None,
) -> CriteriaVersion:
    """Add the next version, a draft: the live one stays live until somebody promotes another.

    Where nothing changed since the newest version that is not archived, that one is returned and none is
    added. `seen`: number of the newest version when the editor was opened, None for any. Raises
    `InvalidCriteria` with a sentence when the criteria cannot be judged by, `NewerVersion` where somebody
    else added a version meanwhile.
    """
    check_storable(spec)
    # The lock makes two editors take turns, so that each number is given once.
    CriteriaSet.objects.select_for_update().get(pk=criteria_set.pk)
    content_hash = spec_hash(spec)
    newest = criteria_set.versions.order_by("-number").first()
    standing = criteria_set.versions.filter(archived_at=None).order_by("-number").first()
    if standing is not None and standing.content_hash == content_hash:
        return standing
    if newest is not None and seen is not None and seen != newest.number:
        raise NewerVersion(newest)
    version = CriteriaVersion.objects.create(
        criteria_set=criteria_set,
        number=newest.number + 1 if newest else 1,
        threshold=_stored_threshold(spec),
        content_hash=content_hash,
        note=note,
        created_by=actor if actor is not None and actor.is_authenticated else None,
    )
    Criterion.objects.bulk_create(_criterion_rows(spec, version))
    record(actor=actor, action="criteria_version_added", subject=str(version), criteria_set=criteria_set)
    return version


@transaction.atomic
def promote_version(
    *,
    criteria_set: CriteriaSet,
    version: CriteriaVersion,
    actor: AnyUser | None,
    confirmed: Collection[int] | None = (),
    seen: int | None = None,
) -> CriteriaSet:
    """Make `version` the one that is answered for by default; an earlier one may be promoted again.

    One update, so there is no moment without a live version. Promoting the live one changes nothing.
    `confirmed`: the `key` of each open gate that may close by it, None for any. `seen`: number of the live
    version that the caller saw. Raises `ClosesGates`, `PromotedMeanwhile` or `IsArchived`, and ValueError for
    a version of another criteria set; then nothing is changed.
    """
    if version.criteria_set_id != criteria_set.pk:
        raise ValueError(f"{version} is no version of {criteria_set}.")
    locked = CriteriaSet.objects.select_for_update(no_key=True).get(pk=criteria_set.pk)
    before = locked.live_version
    check_unchanged(before.number if before else None, seen)
    if before == version:
        return locked
    if locked.versions.filter(pk=version.pk, archived_at__isnull=False).exists():
        raise IsArchived(f"Version {version.number} is archived: restore it first, then make it live.")
    check_confirmed(gate_changes(version, held=True), confirmed)
    locked.live_version = version
    locked.save(update_fields=["live_version"])
    record(
        actor=actor,
        action="criteria_promoted",
        subject=str(version),
        criteria_set=locked,
        before=before.number if before else None,
        after=version.number,
    )
    return locked


def check_storable(spec: CriteriaSpec) -> None:
    """Raise `InvalidCriteria` when the criteria contradict themselves or do not fit their columns."""
    check_criteria(spec)
    _stored_threshold(spec)
    for row in _criterion_rows(spec, None):
        problem = _text_problem(row) or _size_problem(row)
        if problem:
            raise InvalidCriteria(f"Criterion “{row.name}”: {problem}")
        try:
            row.full_clean(exclude=["version"], validate_unique=False, validate_constraints=False)
        except ValidationError as error:
            field, problems = next(iter(error.message_dict.items()))
            raise InvalidCriteria(f"Criterion “{row.name}”, {field}: {problems[0]}") from error


def _text_problem(row: Criterion) -> str | None:
    problems = map(text_problem, [row.description, *row.params.get("text", ())])
    return next(filter(None, problems), None)


def _size_problem(row: Criterion) -> str:
    # The databases differ in what they hold; these limits are below both.
    numbers = (row.weight, row.scale_min, row.scale_max)
    if any(abs(number) > LARGEST_NUMBER for number in numbers):
        return f"weights and scales go up to {LARGEST_NUMBER}; use smaller numbers."
    return ""


def _criterion_spec(criterion: Criterion) -> CriterionSpec:
    return CriterionSpec(
        name=criterion.name,
        description=criterion.description,
        weight=criterion.weight,
        required=criterion.required,
        scale_min=criterion.scale_min,
        scale_max=criterion.scale_max,
        minimum=criterion.minimum,
        strategy=criterion.strategy,
        params=criterion.params,
    )


def _criterion_rows(spec: CriteriaSpec, version: CriteriaVersion | None) -> list[Criterion]:
    return [
        Criterion(
            version=version,
            position=position,
            name=criterion.name,
            description=criterion.description,
            weight=criterion.weight,
            required=criterion.required,
            scale_min=criterion.scale_min,
            scale_max=criterion.scale_max,
            minimum=criterion.minimum,
            strategy=criterion.strategy,
            params=dict(criterion.params),
        )
        for position, criterion in enumerate(spec.criteria, start=1)
    ]


def _stored_threshold(spec: CriteriaSpec) -> Decimal:
    exact = Fraction(spec.threshold)
    stored = (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(Decimal("0.001"))
    if Fraction(stored) != exact:
        raise InvalidCriteria(
            f"The pass threshold may have three digits behind the point, and {spec.threshold} has more."
        )
    return stored
