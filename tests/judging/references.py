"""Reference sets and what judges say of them, written straight into the tables: no model is asked."""

from datetime import timedelta
from itertools import count
from typing import Any

from django.db import transaction
from django.utils import timezone

from judging.models import JudgeVersion, ReferenceSet, Run, Verdict
from judging.services.ordering import count_ordering
from judging.services.reference_sets import make_reference_set
from labeling.models import CriteriaSet
from tests.factories import live, make_candidate, make_ruling

_numbers = count(1)


def make_set(criteria_set: CriteriaSet, *, decides: bool = True, settled: bool = False) -> ReferenceSet:
    """A set of one good and one deficient output to a request of its own; `settled`: golden rows."""
    number = next(_numbers)
    request = f"Ask for number {number}."
    good = make_candidate(criteria_set, f"Good {number}.", request=request, split="tune")
    deficient = make_candidate(criteria_set, f"Deficient {number}.", request=request, split="tune")
    if settled:
        make_ruling(good, "pass")
        make_ruling(deficient, "fail")
    made = make_reference_set(
        version=live(criteria_set), name=f"set {number}", good=[good.pk], deficient=[deficient.pk]
    )
    ReferenceSet.objects.filter(pk=made.pk).update(decides=decides)
    return made


def make_sets(criteria_set: CriteriaSet, number: int, **more: Any) -> list[ReferenceSet]:
    return [make_set(criteria_set, **more) for _ in range(number)]


def order(judge: JudgeVersion, sets: list[ReferenceSet], scores: str) -> Run:
    """A finished ordering run: for each set the scores of its good and its deficient output, in tenths.

    Such as "92 55 9-": a pass is .7 or more, and “-” a skip. Counted, with all that follows.
    """
    criteria_set = sets[0].criteria_set
    run = Run.objects.create(
        judge_version=judge,
        criteria_version=live(criteria_set),
        kind="ordering",
        state="finished",
        finished_at=timezone.now() + timedelta(seconds=1),
    )
    said = dict(zip([each.pk for each in sets], scores.split(), strict=True))
    for each in sets:
        for member, digit in zip(each.members.order_by("-is_good"), said[each.pk], strict=True):
            own = _say(run, member.candidate, judge, digit, None)
            for juror in judge.members.all():
                _say(run, member.candidate, juror, digit, own)
    with transaction.atomic():  # as at the end of a run
        count_ordering(run=run)
    return run


def _say(run: Run, candidate: Any, judge: JudgeVersion, digit: str, above: Verdict | None) -> Verdict:
    skipped = digit == "-"
    return Verdict.objects.create(
        run=run,
        candidate=candidate,
        judge_version=judge,
        kind=Verdict.Kind.PANEL if judge.kind == "panel" else Verdict.Kind.JUROR,
        panel_verdict=above,
        candidate_hash=candidate.content_hash,
        outcome="skipped" if skipped else "pass" if int(digit) >= 7 else "fail",
        reason="timeout" if skipped else "",
        score=None if skipped else int(digit) / 10,
        filled_at=timezone.now(),
    )
