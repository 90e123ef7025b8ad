"""Reference sets: made of rows that a lead picks, renamed, retired."""

from collections.abc import Collection
from datetime import datetime
from itertools import batched
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Case, Count, F, Max, Q, QuerySet, Value, When

from judging.models import ReferenceCandidate, ReferenceSet
from judging.models.ordering import ReferenceSetQuerySet
from labeling.access import AnyUser
from labeling.domain.content import text_problem
from labeling.models import Candidate, CriteriaSet, CriteriaVersion
from labeling.models.candidates import CandidateQuerySet
from labeling.services.audit import record

LONGEST_NAME = 200
_TAKEN = "There is a reference set of that name already. Give this one another."


class CannotOrder(ValueError):
    """This can be no reference set; the sentence says why and what to do."""


@transaction.atomic
def make_reference_set(
    *,
    version: CriteriaVersion,
    name: str,
    good: Collection[int],
    deficient: Collection[int],
    actor: AnyUser | None = None,
) -> ReferenceSet:
    """A set of these candidates, by id, all of one request. It counts for certificates.

    Raises `CannotOrder`, such as where people say the opposite of a row under `version`.
    """
    _check_picked(version, set(good), set(deficient))
    name = _checked_name(name)
    made = _named(version.criteria_set, name, actor)
    members = [(pk, True) for pk in sorted(good)] + [(pk, False) for pk in sorted(deficient)]
    ReferenceCandidate.objects.bulk_create(
        ReferenceCandidate(reference_set=made, candidate_id=pk, is_good=is_good) for pk, is_good in members
    )
    _record(made, actor, "reference_set_made", good=sorted(good), deficient=sorted(deficient))
    return made


def _named(criteria_set: CriteriaSet, name: str, actor: AnyUser | None) -> ReferenceSet:
    maker = actor if isinstance(actor, User) else None
    try:
        with transaction.atomic():
            return ReferenceSet.objects.create(criteria_set=criteria_set, name=name, created_by=maker)
    except IntegrityError:
        raise CannotOrder(_TAKEN) from None


def _check_picked(version: CriteriaVersion, good: set[int], deficient: set[int]) -> None:
    if not good or not deficient:
        raise CannotOrder("Mark at least one output good and at least one clearly deficient.")
    if both := good & deficient:
        raise CannotOrder(f"Row {min(both)} cannot be good and deficient at once.")
    rows = Candidate.objects.filter(criteria_set=version.criteria_set_id, pk__in=good | deficient)
    requests = dict(rows.values_list("pk", "request_hash"))
    if len(requests) < len(good | deficient) or len(set(requests.values())) > 1:
        raise CannotOrder("A reference set is made of outputs to one and the same request of this set.")
    for pk, truth in sorted(truths_of(version, requests).items()):
        if (truth == "pass") != (pk in good):
            mark = "good" if pk in good else "clearly deficient"
            raise CannotOrder(f"People say “{truth}” of row {pk}, so it cannot be marked {mark}.")


def truths_of(version: CriteriaVersion, candidate_ids: Collection[int]) -> dict[int, str]:
    """What people say of those of the candidates that they settled: `pass` or `fail` by id."""
    found: dict[int, str] = {}
    for chunk in batched(candidate_ids, 500):
        golden = Candidate.objects.filter(pk__in=chunk).golden(version).annotate(settled=F("truth"))
        found |= dict(golden.order_by().values_list("pk", "settled"))
    return found


def requests_to_pick(version: CriteriaVersion) -> QuerySet[Any, Any]:
    """Requests with a row that people pass and one that they fail, newest first.

    As `request_hash`, `passes`, `fails` and `newest`, the id of the last row.
    """
    golden = Candidate.objects.filter(criteria_set=version.criteria_set_id).golden(version).order_by()
    by_request = golden.values("request_hash").annotate(
        passes=Count("pk", filter=Q(truth="pass")),
        fails=Count("pk", filter=Q(truth="fail")),
        newest=Max("pk"),
    )
    return by_request.filter(passes__gt=0, fails__gt=0).order_by("-newest")


def usable_sets(version: CriteriaVersion, at: datetime | None = None) -> ReferenceSetQuerySet:
    """The sets that a judge is asked about under `version`, or was at a moment.

    Those of which people now say otherwise are left out: what the set calls good they fail, or the reverse.
    """
    sets = ReferenceSet.objects.filter(criteria_set=version.criteria_set_id).in_use(at)
    return sets.exclude(pk__in=contradicted(version, sets))


def contradicted(version: CriteriaVersion, sets: "QuerySet[ReferenceSet]") -> "QuerySet[Any, int]":
    """The ids of those among `sets` in which people have settled a row otherwise than it is marked.

    An id may stand there twice.
    """
    members = CandidateQuerySet(Candidate).filter(references__reference_set__in=sets).with_truth(version)
    # Compared once, with the opposite of the mark: so rows that nobody settled fall out, too.
    opposite = Case(When(references__is_good=True, then=Value("fail")), default=Value("pass"))
    found = members.annotate(of_set=F("references__reference_set"), opposite=opposite)
    return found.filter(truth=F("opposite")).order_by().values_list("of_set", flat=True)


@transaction.atomic
def rename_set(*, reference_set: ReferenceSet, name: str, actor: AnyUser | None = None) -> ReferenceSet:
    """Give a set another name. Raises `CannotOrder`."""
    before, reference_set.name = reference_set.name, _checked_name(name)
    try:
        with transaction.atomic():
            reference_set.save(update_fields=["name"])
    except IntegrityError:
        raise CannotOrder(_TAKEN) from None
    _record(reference_set, actor, "reference_set_renamed", before=before)
    return reference_set


@transaction.atomic
def retire_set(*, reference_set: ReferenceSet, now: datetime | None, actor: AnyUser | None) -> ReferenceSet:
    """Judge a set no more from `now` on, or again where `now` is None. What was counted stays as it was."""
    reference_set.retired_at = now
    reference_set.save(update_fields=["retired_at"])
    _record(reference_set, actor, "reference_set_retired" if now else "reference_set_used_again")
    return reference_set


@transaction.atomic
def let_decide(*, reference_set: ReferenceSet, decides: bool, actor: AnyUser | None) -> ReferenceSet:
    """Let a set count for certificates from the next run on, or for the figures only."""
    reference_set.decides = decides
    reference_set.save(update_fields=["decides"])
    _record(reference_set, actor, "reference_set_decides", decides=decides)
    return reference_set


def _checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise CannotOrder("Give the reference set a name.")
    if len(name) > LONGEST_NAME:
        raise CannotOrder(f"The name has {len(name)} characters; at most {LONGEST_NAME} are allowed.")
    if problem := text_problem(name) or unseen_problem(name):
        raise CannotOrder(problem)
    return name


def unseen_problem(name: str) -> str | None:
    """Why a name cannot be kept that holds what nobody sees, such as what turns the direction of writing."""
    return None if name.isprintable() else "The name has characters that nobody can see: leave them out."


def _record(reference_set: ReferenceSet, actor: AnyUser | None, action: str, **details: object) -> None:
    record(
        actor=actor,
        action=action,
        subject=reference_set.name,
        criteria_set=reference_set.criteria_set,
        reference_set=reference_set.pk,
        **details,
    )
